'use strict';
// Shows what /status tells, again whenever /events says that something happened. Strings of devices
// are hostile: all of them become text nodes, never markup.
(() => {
  const GATHER = 200;        // ms in which many events are one look.
  const REFRESH = 15000;     // ms. Probes run without an event.
  const AGES = 5000;         // ms
  const AT_ONCE = 100;       // Rows that are shown before somebody asks for more.
  const MOST_EVENTS = 1000;  // As many as the daemon keeps.
  const DAY = 86400;         // s

  const at = (id) => document.getElementById(id);
  const open = new Map();  // What is known of the resources that are open, by name.
  let status = null;
  let ahead = 0;  // ms by which the daemon's clock is ahead of ours.
  let events = [];
  let eventsShown = AT_ONCE;

  // Elements. Those that stay are changed in place: who has the focus there keeps it.

  // As the command line shows what could make a line look like another.
  const plain = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0).toString(16);
    return code.length > 2 ? '\\u' + code.padStart(4, '0') : '\\x' + code.padStart(2, '0');
  });

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== undefined && value !== '') element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== undefined && child !== '')
      .map((child) => (typeof child === 'string' ? plain(child) : child)));
    return element;
  }

  function button(text, act, attributes) {
    const element = make('button', {type: 'button', ...attributes}, text);
    element.addEventListener('click', act);
    return element;
  }

  function set(element, said, style) {
    const text = plain(said);
    if (element.textContent !== text) element.textContent = text;
    if (style !== undefined && element.className !== style) element.className = style;
    return element;
  }

  // The children of a parent are those of the items, in their order; `create` makes one, and
  // `update` says in it what the item says.
  function each(parent, items, key, create, update) {
    const known = new Map([...parent.children].map((child) => [child.itemKey, child]));
    let place = parent.firstElementChild;
    for (const item of items) {
      const name = key(item);
      let child = known.get(name);
      if (child) {
        known.delete(name);
      } else {
        child = create(item);
        child.itemKey = name;
      }
      if (child === place) {
        place = place.nextElementSibling;
      } else {
        parent.insertBefore(child, place);
      }
      update(child, item);
    }
    for (const child of known.values()) child.remove();
  }

  function ageOf(since) {
    const seconds = Math.max(0, (Date.now() + ahead - Date.parse(since)) / 1000);
    if (!Number.isFinite(seconds)) return '-';
    for (const [unit, size] of [['d', DAY], ['h', 3600], ['m', 60]]) {
      if (seconds >= size) return Math.floor(seconds / size) + unit;
    }
    return Math.floor(seconds) + 's';
  }

  function time(element, since) {
    if (element.getAttribute('datetime') !== since) {
      element.setAttribute('datetime', since);
      element.title = since;
    }
    return set(element, ageOf(since));
  }
  const timed = (since) => time(make('time'), since);

  function showAges() {
    for (const element of document.querySelectorAll('time[title]')) {
      set(element, ageOf(element.getAttribute('datetime')));
    }
  }

  // What is asked for.

  async function ask(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(path + ': ' + answer.status);
    return answer.json();
  }

  // One at a time; who asks meanwhile has it asked once more.
  function alone(act) {
    let busy = false;
    let again = false;
    return async function look() {
      if (busy) { again = true; return; }
      busy = true;
      try {
        await act();
        set(at('live'), 'live', 'good');
      } catch {
        set(at('live'), 'the daemon does not answer', 'bad');
      }
      busy = false;
      if (again) { again = false; setTimeout(look, GATHER); }
    };
  }

  // The header.

  function showHeader() {
    const {program, configuration, kubelet} = status;
    const registered = status.resources.filter((r) => r.registration.state === 'registered').length;
    const all = status.resources.length;
    document.title = status.node + ' – Patchbay';
    set(at('node'), status.node);
    at('facts').replaceChildren(
      make('li', {}, 'patchbay ' + program.version + (program.commit && ' (' + program.commit + ')') +
        ', up ', timed(program.since)),
      make('li', {title: configuration.files.join('\n')}, 'configuration ' + configuration.number +
        ' since ', timed(configuration.since)),
      make('li', {class: kubelet.answers ? 'good' : 'warn'},
        kubelet.answers ? 'the kubelet answers' : 'waits for the kubelet'),
      make('li', {class: registered === all ? 'good' : 'warn'},
        registered + ' of ' + all + ' resources registered'),
      make('li', {class: 'dim'}, 'kernel ' + program.kernel));
    const notices = [];
    if (configuration.refused) {
      notices.push('A newer configuration was refused ' + ageOf(configuration.refused.since) +
        ' ago:\n' + configuration.refused.reason);
    }
    if (configuration.hangs) notices.push('The file system of the configuration does not answer.');
    if (!kubelet.answers) {
      notices.push('Waits for the kubelet since ' + ageOf(kubelet.since) + ': ' + kubelet.waitedFor);
    }
    for (const source of status.eventSources) {
      if (source.degraded) notices.push('Events of ' + source.source + ': ' + source.degraded);
    }
    if (status.podResources.state === 'failing') {
      notices.push('Who holds what is not known: ' + status.podResources.reason);
    }
    if (status.events.overflows > 0) {
      notices.push('The kernel dropped events ' + status.events.overflows +
        ' times since the start; everything was looked at again.');
    }
    each(at('notices'), notices, (text) => text, (text) => make('p', {class: 'notice'},
      ...text.split('\n').flatMap((line) => [make('br'), line]).slice(1)),
      () => {});
  }

  // Resources.

  const STATES = {
    registered: ['registered', 'good'], standingBy: ['standing by', ''],
    noKubelet: ['no kubelet', 'warn'], registering: ['registering', 'warn'],
    backingOff: ['cannot register', 'bad'], pending: ['pending', 'warn'], leaving: ['leaving', ''],
  };
  const HISTORY = {
    healthy: 'all healthy', some: 'some unhealthy', bad: 'all unhealthy', none: 'no unit',
    unknown: 'not known',
  };

  function showStrip(cell, history) {
    const end = Date.parse(status.at) / 1000;
    const spans = history.map((span, i) => ({
      state: span.state,
      from: Math.max(Date.parse(span.from) / 1000, end - DAY),
      to: i + 1 < history.length ? Date.parse(history[i + 1].from) / 1000 : end,
    }));
    const drawn = JSON.stringify([history, Math.floor(end / 300)]);
    if (cell.drawn === drawn) return;
    cell.drawn = drawn;
    const svg = (name, attributes) => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const words = spans.map((span) => new Date(span.from * 1000).toLocaleTimeString([], {
      hour: '2-digit', minute: '2-digit'}) + ' ' + HISTORY[span.state]).join('\n');
    const strip = svg('svg', {class: 'strip', viewBox: '0 0 ' + DAY + ' 1',
      preserveAspectRatio: 'none', role: 'img', 'aria-label': 'the last 24 hours: ' + words});
    strip.append(Object.assign(svg('title', {}), {textContent: words}));
    for (const span of spans) {
      const width = Math.max(span.to - span.from, DAY / 100);
      strip.append(svg('rect', {class: span.state, x: Math.min(span.from - (end - DAY), DAY - width),
        y: 0, height: 1, width}));
    }
    cell.replaceChildren(strip);
  }

  function resourceRow(resource) {
    const row = make('tr');
    const cell = (style) => row.appendChild(make('td', {class: style}));
    row.head = button(resource.name, () => toggle(resource.name), {class: 'name'});
    row.last = make('span');
    row.lastAt = make('time');
    row.append(make('th', {scope: 'row'}, row.head, make('small', {}, row.lastAt, row.last)));
    row.cells_ = {
      units: cell('number'), healthy: cell('number'), unhealthy: cell('number'),
      refused: cell('number later'), held: cell('number later'), state: cell(''),
      since: cell('later').appendChild(make('time')), strip: cell('later'),
    };
    return row;
  }

  function updateResource(row, resource) {
    const {counts, registration} = resource;
    const cells = row.cells_;
    const count = (cell, number, style, usual) =>
      set(cell, String(number), (usual + ' ' + (number ? style : '')).trim());
    row.head.setAttribute('aria-expanded', String(open.has(resource.name)));
    count(cells.units, counts.units, '', 'number');
    count(cells.healthy, counts.healthy, 'good', 'number');
    count(cells.unhealthy, counts.unhealthy, 'bad', 'number');
    count(cells.refused, counts.refused + counts.incomplete, 'warn', 'number later');
    set(cells.held, String(counts.held ?? '-'), 'number later');
    const [word, style] = STATES[registration.state] || [registration.state, ''];
    set(cells.state, word + (registration.failure && ': ' + registration.failure), style);
    time(cells.since, registration.since);
    showStrip(cells.strip, resource.history);
    const last = events.findLast((event) => event.resource === resource.name);
    row.lastAt.hidden = !last;
    if (last) time(row.lastAt, last.at);
    set(row.last, last ? ' ago: ' + last.what + (last.unit && ' ' + last.unit) : '');
  }

  function showResources() {
    const items = [];
    for (const resource of status.resources) {
      items.push({key: resource.name, resource});
      if (open.has(resource.name)) items.push({key: resource.name + '\n', inner: resource.name});
    }
    each(at('resources'), items, (item) => item.key,
      (item) => (item.resource ? resourceRow(item.resource) : innerRow(item.inner)),
      (row, item) => { if (item.resource) updateResource(row, item.resource); });
  }

  // A resource that is open.

  function toggle(name) {
    if (!open.delete(name)) open.set(name, {most: AT_ONCE, match: '', whole: null});
    showResources();
  }

  function innerRow(name) {
    const state = open.get(name);
    const filter = make('input', {type: 'search', placeholder: 'filter units',
      'aria-label': 'filter units of ' + name});
    filter.addEventListener('input', () => { state.match = filter.value; state.look(); });
    state.description = make('p', {class: 'dim'});
    state.found = make('small', {class: 'dim', role: 'status'});
    state.rows = make('tbody');
    state.more = button('show more', () => { state.most += 5 * AT_ONCE; state.look(); });
    state.more.hidden = true;
    const head = ['Unit', 'State', 'Since', 'NUMA', 'Plugged in at', 'Held by', 'Why, and probes'];
    const later = new Set(['NUMA', 'Plugged in at', 'Held by']);
    const table = make('table', {'aria-label': 'units of ' + name}, make('thead', {}, make('tr', {},
      ...head.map((title) => make('th', {scope: 'col', class: later.has(title) ? 'later' : undefined}, title)))),
      state.rows);
    state.look = alone(async () => {
      const answer = await ask('status?refused=false&resource=' + encodeURIComponent(name) +
        '&units=' + state.most + '&match=' + encodeURIComponent(state.match));
      if (open.get(name) === state && answer.resources[0]) showUnits(name, state, answer.resources[0]);
    });
    state.look();
    return make('tr', {}, make('td', {colspan: '9'}, make('div', {class: 'inner'}, state.description,
      make('p', {}, filter, ' ', state.found), make('div', {class: 'wide', role: 'region',
        'aria-label': 'units of ' + name, tabindex: '0'}, table), state.more)));
  }

  function showUnits(name, state, whole) {
    set(state.description, whole.description);
    const parts = [whole.matching + ' of ' + whole.counts.units];
    if (whole.units.length < whole.matching) parts.push(whole.units.length + ' shown');
    set(state.found, parts.join(', '));
    state.more.hidden = whole.units.length >= whole.matching;
    each(state.rows, whole.units, (unit) => unit.id, unitRow, updateUnit);
  }

  function unitRow(unit) {
    const row = make('tr');
    const cell = (style) => row.appendChild(make('td', {class: style}));
    row.cells_ = {id: cell('mono'), state: cell(), since: cell().appendChild(make('time')),
      nodes: cell('later'), places: cell('mono later'), holders: cell('later'), why: cell('why')};
    row.cells_.id.append(button(unit.id, () => {
      at('event-filter').value = unit.id;
      showEvents();
      at('event-filter').focus();
    }, {title: 'what happened to it'}), row.shares = make('small'));
    row.reason = row.cells_.why.appendChild(make('div'));
    row.probes = row.cells_.why.appendChild(make('ul', {class: 'probes'}));
    return row;
  }

  const holderText = (holder) => holder.namespace + '/' + holder.pod + '/' + holder.container;

  function probeText(probe) {
    let text = probe.probe + ': ' + (probe.result === 'none' ? 'not run yet' :
      probe.result === 'cannotRun' ? 'cannot run' : probe.result);
    if (probe.at) text += ' ' + ageOf(probe.at) + ' ago in ' + (1000 * probe.seconds).toFixed(1) + ' ms';
    if (probe.reason) text += ': ' + probe.reason;
    if (probe.runsSince) text += ', runs for ' + ageOf(probe.runsSince);
    if (probe.late) text += ', late';
    return text;
  }

  function updateUnit(row, unit) {
    const cells = row.cells_;
    set(row.shares, unit.shares ? unit.shares + ' shares' : '');
    set(cells.state, unit.healthy ? 'healthy' : 'unhealthy', unit.healthy ? 'good' : 'bad');
    time(cells.since, unit.since);
    set(cells.nodes, unit.numaNodes.join(', '));
    set(cells.places, unit.members.map((m) => (m.role && m.role + '=') + (m.devnode || m.key)).join(' '));
    cells.places.title = unit.members.map((m) => plain(m.key)).join('\n');
    set(cells.holders, unit.holders.map(holderText).join(', '));
    set(row.reason, unit.reason || (unit.lastReason && 'was: ' + unit.lastReason));
    each(row.probes, unit.probes.map((probe, index) => ({probe, index})), (item) => item.index,
      () => make('li'), (line, {probe}) => set(line, probeText(probe),
        probe.late ? 'warn' : probe.result === 'passed' ? 'dim' : probe.result === 'none' ? '' : 'bad'));
  }

  // What is not offered.

  function showRefused() {
    const rows = [];
    let all = 0;
    for (const resource of status.resources) {
      all += resource.counts.refused + resource.counts.incomplete;
      for (const refusal of resource.refused) {
        if (refusal.kind !== 'claimed') rows.push([resource.name, refusal.device, refusal.kind, refusal.reason]);
      }
      const others = [...resource.pending.map((p) => [resource.name, p.path, 'pending', p.reason]),
        ...resource.degraded.map((d) => [resource.name, d.pattern, 'degraded', d.reason])];
      all += others.length;
      rows.push(...others);
    }
    for (const gone of status.podResources.notOffered) {
      ++all;
      rows.push([gone.resource, gone.unit, 'gone', 'held by ' + gone.holders.map(holderText).join(', ')]);
    }
    for (const left of status.notForThisNode) {
      ++all;
      rows.push([left.resource, '', 'not for this node',
        left.conditions.map((c) => c.condition + ': ' + c.actual).join('; ')]);
    }
    at('refused-part').hidden = rows.length === 0;
    set(at('refused-count'), rows.length < all ? rows.length + ' of ' + all : '');
    each(at('refused'), rows, (row) => row.join('\n'), ([name, device, kind, reason]) => make('tr', {},
      make('td', {class: 'mono'}, name), make('td', {class: 'mono'}, device),
      make('td', {class: kind === 'refused' ? 'bad' : 'warn'}, kind), make('td', {}, reason)), () => {});
  }

  // What happened.

  function eventLine(event) {
    const style = event.level === 'error' ? 'bad' : event.level === 'warning' ? 'warn' : '';
    return make('li', {}, make('span', {class: 'dim mono'}, event.at.replace('T', ' ').replace('Z', '')),
      ' ', make('span', {class: ('tag ' + style).trim()}, event.kind), ' ',
      make('span', {class: 'mono'}, [event.resource, event.unit].filter(Boolean).join(' ')), ' ',
      event.what + (event.detail && ': ' + event.detail));
  }

  function showEvents() {
    const words = at('event-filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = events.filter((event) => {
      const text = Object.values(event).join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    each(at('events'), found.slice(-eventsShown).reverse(), (event) => event.number, eventLine, () => {});
    at('more-events').hidden = found.length <= eventsShown;
    set(at('event-count'), found.length + ' of ' + events.length);
  }

  // The machine.

  function showMachine(machine) {
    const hues = new Map(status.resources.map((resource, i) => [resource.name, 'hue' + (i % 8)]));
    const below = new Map();
    machine.things.forEach((thing, index) => {
      const key = thing.above ?? 'node ' + (thing.numaNode ?? '-');
      below.set(key, [...(below.get(key) || []), index]);
    });
    const unitText = (had) => had.resource + ' ' + had.unit + (had.healthy ? '' : ' (unhealthy)');
    const port = (name, units) => make('span', {
      class: 'port ' + (units.length ? 'had ' + hues.get(units[0].resource) : 'free')}, name);
    const line = (index) => {
      const thing = machine.things[index];
      const item = make('li', {}, port(thing.kind + ' ' + thing.name, thing.units), ' ', thing.label,
        ' ', make('span', {class: 'dim'}, [thing.driver, thing.devnode].filter(Boolean).join(' ')), ' ',
        make('strong', {}, thing.units.map(unitText).join(', ')));
      item.title = plain(thing.path);
      if (below.has(index)) item.append(make('ul', {}, ...below.get(index).map(line)));
      return item;
    };
    const roots = [...below.keys()].filter((key) => typeof key === 'string').sort();
    const parts = roots.map((key) => [make('h3', {}, key === 'node -' ? 'No NUMA node' : 'NUMA ' + key),
      make('ul', {class: 'tree'}, ...below.get(key).map(line))]).flat();
    if (machine.elsewhere.length) {
      parts.push(make('h3', {}, 'On no bus'), make('ul', {class: 'tree'}, ...machine.elsewhere
        .slice(0, 5 * AT_ONCE).map((had) => make('li', {}, port(had.device, [had]), ' ',
          make('strong', {}, unitText(had))))));
    }
    if (machine.cut) parts.push(make('p', {class: 'dim'}, 'There is more than can be shown.'));
    parts.unshift(make('p', {class: 'dim'}, 'Framed in colour: a resource has it. Grey: no rule matches it.'));
    at('machine').replaceChildren(...parts);
  }
  const lookAtMachine = alone(async () => {
    if (!at('machine').hidden) showMachine(await ask('machine'));
  });

  // Together.

  const look = alone(async () => {
    status = await ask('status?units=false&refused=' + AT_ONCE);
    ahead = Date.parse(status.at) - Date.now();
    showHeader();
    showResources();
    showRefused();
    for (const state of open.values()) state.look?.();
  });

  let gathering = 0;
  let plugged = false;
  function gathered() {
    gathering = 0;
    showEvents();
    look();
    if (plugged) lookAtMachine();
    plugged = false;
  }

  let stream = null;
  function follow() {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (!stream) {
      stream = new EventSource('events?after=' + (events.at(-1)?.number ?? 0));
      stream.onmessage = (message) => {
        const event = JSON.parse(message.data);
        // Another daemon counts anew.
        if (events.length > 0 && event.number <= events.at(-1).number) events = [];
        events.push(event);
        if (events.length > MOST_EVENTS) events.shift();
        plugged ||= ['plugged', 'lost', 'healthy', 'unhealthy', 'reload'].includes(event.kind);
        gathering ||= setTimeout(gathered, GATHER);
      };
      stream.onerror = () => { gathering ||= setTimeout(gathered, GATHER); };
      look();
    }
  }

  at('event-filter').addEventListener('input', showEvents);
  at('more-events').addEventListener('click', () => { eventsShown += 5 * AT_ONCE; showEvents(); });
  at('machine-button').addEventListener('click', () => {
    const shown = at('machine').hidden;
    at('machine').hidden = !shown;
    at('machine-button').setAttribute('aria-expanded', String(shown));
    lookAtMachine();
  });
  document.addEventListener('visibilitychange', follow);
  setInterval(() => { if (!document.hidden) look(); }, REFRESH);
  setInterval(() => { if (!document.hidden) showAges(); }, AGES);
  document.body.classList.add('with-script');
  at('resources').replaceChildren();  // What the daemon wrote for who has no script.
  at('refused').replaceChildren();
  at('notices').replaceChildren();
  follow();
})();
