'use strict';
// Shows /status, and reads it again after each event of /events. Strings of devices are hostile: all
// of them become text nodes, never markup.
(() => {
  const GATHER = 200;        // ms between two requests for the same.
  const POLL = 2000;         // ms between two requests for events.
  const REFRESH = 15000;     // ms. Probes run without an event.
  const AGES = 5000;         // ms
  const PAGE = 100;          // Rows of one page.
  const MOST_PROBLEMS = 20;  // Shown before the user asks for more.
  const MOST_EVENTS = 1000;  // As many as the daemon keeps.

  const at = (id) => document.getElementById(id);
  const open = new Map();  // The state of each expanded resource, by name.
  let status = null;
  let ahead = 0;  // ms by which the daemon's clock is ahead of ours.
  let events = [];
  let eventsShown = PAGE;
  let problemsShown = MOST_PROBLEMS;
  let refusedShown = PAGE;
  let kindShown = '';  // The kind of problem that is shown alone; empty: all.
  let unmatched = {};  // The nearest miss of each group without a device, by resource.

  // Elements. They are changed in place, so that the focus stays.

  // Escapes characters that can make one text look like another, as the command line does.
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

  // Makes the children of `parent` match `items`, in their order. `create` makes the element of a new
  // item, `update` changes an element to what its item says.
  function each(parent, items, key, create, update) {
    const focused = document.activeElement;
    const known = new Map([...parent.children].map((child) => [child.itemKey, child]));
    let next = parent.firstElementChild;
    for (const item of items) {
      const name = key(item);
      let child = known.get(name);
      if (child) {
        known.delete(name);
      } else {
        child = create(item);
        child.itemKey = name;
      }
      if (child === next) {
        next = next.nextElementSibling;
      } else {
        parent.insertBefore(child, next);
      }
      update(child, item);
    }
    for (const child of known.values()) child.remove();
    // An element that moves loses the focus.
    if (focused !== document.activeElement && parent.contains(focused)) focused.focus();
  }

  function ageOf(since) {
    const seconds = Math.max(0, (Date.now() + ahead - Date.parse(since)) / 1000);
    if (!Number.isFinite(seconds)) return '-';
    for (const [unit, size] of [['d', 86400], ['h', 3600], ['m', 60]]) {
      if (seconds >= size) return Math.floor(seconds / size) + unit;
    }
    return Math.floor(seconds) + 's';
  }

  // "2026-03-01 14:05:09", in the time zone of the browser.
  function localText(utc) {
    const date = new Date(utc);
    const two = (number) => String(number).padStart(2, '0');
    return date.getFullYear() + '-' + two(date.getMonth() + 1) + '-' + two(date.getDate()) + ' ' +
      two(date.getHours()) + ':' + two(date.getMinutes()) + ':' + two(date.getSeconds());
  }

  function zoneText() {
    const minutes = -new Date().getTimezoneOffset();
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = 'UTC' + (minutes < 0 ? '-' : '+') + hours + (rest ? ':' + String(rest).padStart(2, '0') : '');
    const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return !name || name === 'UTC' ? offset.replace('+0', '') : name + ' (' + offset + ')';
  }

  function time(element, since) {
    if (element.getAttribute('datetime') !== since) {
      element.setAttribute('datetime', since);
      element.title = localText(since);
    }
    return set(element, ageOf(since));
  }
  const timed = (since) => time(make('time'), since);

  function showAges() {
    for (const element of document.querySelectorAll('time[title]')) {
      set(element, ageOf(element.getAttribute('datetime')));
    }
  }

  // Requests.

  async function ask(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(path + ': ' + answer.status);
    return answer.json();
  }

  // One request at a time. Calls during a request cause one more after it.
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
    const registered = status.resources.filter((r) => isRegistered(r.registration)).length;
    const all = status.resources.length;
    document.title = plain(status.node) + ' – Patchbay';
    set(at('node'), status.node);
    at('facts').replaceChildren(
      make('li', {}, 'patchbay ' + program.version + (program.commit && ' (' + program.commit + ')') +
        ', up ', timed(program.since)),
      make('li', {title: configuration.files.join('\n')}, 'configuration ' + configuration.generation +
        ', loaded ', timed(configuration.since), ' ago'),
      make('li', {class: kubelet.reachable ? '' : 'warn'},
        kubelet.reachable ? 'kubelet connected' : 'kubelet unavailable'),
      make('li', {class: registered === all ? '' : 'warn'},
        countOf(registered, all, ['resource', 'resources']) + ' registered'),
      make('li', {class: 'dim'}, 'kernel ' + program.kernel));
    const notes = status.eventSources.filter((source) => source.degradedReason)
      .map((source) => 'Event source ' + source.source + ': ' + source.degradedReason + '.');
    if (status.eventCounts.overflows > 0) {
      notes.push('The kernel dropped events (' + count(status.eventCounts.overflows, ['time', 'times']) +
        ' since the start). Each time all devices were read again.');
    }
    each(at('notes'), notes, (text) => text, (text) => make('li', {}, text), () => {});
  }

  // Problems. Each has a kind, whose chip filters them, and a command that leads on.

  const KINDS = {
    configuration: ['configuration rejected', 'configurations rejected', ''],
    kubelet: ['kubelet unavailable', 'kubelets unavailable', ''],
    registration: ['resource not registered', 'resources not registered', ''],
    unhealthy: ['unhealthy unit', 'unhealthy units', ''],
    expected: ['expected unit missing', 'expected units missing', ''],
    missing: ['allocated unit missing', 'allocated units missing', ''],
    claim: ['failed ResourceClaim', 'failed ResourceClaims', ''],
    refused: ['refused device', 'refused devices', 'mild'],
    misconfigured: ['misconfigured unit', 'misconfigured units', 'mild'],
    draining: ['draining DRA driver', 'draining DRA drivers', 'mild'],
    empty: ['resource without units', 'resources without units', 'mild'],
    unresponsive: ['unresponsive path', 'unresponsive paths', 'mild'],
    other: ['other problem', 'other problems', 'mild'],
  };

  const quoted = (word) => (/^[\w./:@%+=,-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
  // A command of the daemon's machine.
  const command = (...words) => words.map((word) => quoted(plain(word))).join(' ');
  // A command of the program, which is in the daemon's Pod.
  function patchbay(...words) {
    const [namespace, pod] = status.program.pod.split('/');
    const there = pod ? ['kubectl', '--namespace', namespace, 'exec', pod, '--'] : [];
    return command(...there, 'patchbay', ...words);
  }
  const configFiles = () => status.configuration.files.filter(
    (file) => /\.ya?ml$/.test(file) && !file.includes('/..'));
  const count = (number, [one, several]) => number + ' ' + (number === 1 ? one : several);
  const countOf = (part, all, words) => (part === all ? count(all, words) : part + ' of ' + count(all, words));

  function problemsOf(resource) {
    const {name, counts, registration} = resource;
    const found = [];
    const add = (kind, number, reason, how) => number > 0 &&
      found.push({kind, number, resource: name, reason, command: how});
    const worst = resource.units?.find((unit) => !unit.healthy);
    add('registration', registration.state === 'backingOff' ? 1 : 0, registration.reason,
      patchbay('status', name));
    add('other', isRegistered(registration) && registration.reason ? 1 : 0, registration.reason,
      patchbay('status', name));
    add('unhealthy', counts.unhealthy,
      countOf(counts.unhealthy, counts.units, ['unit', 'units']) + (worst ? '. ' + worst.id + ': ' + worst.reason : ''),
      patchbay('status', worst ? worst.id : name));
    add('expected', counts.expected - counts.healthy,
      ['healthy: ' + counts.healthy + ' of ' + counts.expected,
        ...resource.lostUnits.map((unit) => unit.id + ': ' + lostText(unit))].join('\n'), patchbay('status', name));
    const refused = resource.refused.filter((refusal) => refusal.kind !== 'claimed');
    add('refused', counts.refused + counts.incomplete,
      refused[0] && refused[0].device + ': ' + refused[0].reason,
      refused[0] && patchbay('explain', refused[0].device, ...configFiles()));
    for (const warning of resource.warnings || []) {
      add('misconfigured', warning.count, warning.units.join(', ') + ': ' + warning.reason,
        patchbay('discover', ...configFiles()));
    }
    add('unresponsive', resource.unresponsive.length, resource.unresponsive[0] &&
      resource.unresponsive[0].path + ' ' + resource.unresponsive[0].reason,
      patchbay('status', name));
    add('other', resource.degraded.length, resource.degraded[0] &&
      resource.degraded[0].pattern + ': ' + resource.degraded[0].reason,
      patchbay('status', name));
    add('empty', isEmpty(resource) ? 1 : 0, missText(name),
      patchbay('discover', ...configFiles()));
    return found;
  }

  const isEmpty = ({counts, unresponsive}) =>
    counts.units + counts.refused + counts.incomplete + unresponsive.length === 0;

  const lostText = (unit) => 'lost at ' + localText(unit.since) + (unit.reason && ': ' + unit.reason);

  function missText(name) {
    const groups = unmatched[name];
    if (!groups) return 'no device is offered';
    return groups.map((group) => {
      const where = group.file + ':' + group.line + ': ';
      if (!group.nearestDevice) return where + (group.reason || 'no device to compare');
      return where + count(group.candidates, ['device', 'devices']) + ' compared; the nearest is ' +
        group.nearestDevice + ', but:\n' + group.conditions.map((c) => '  '.repeat(c.depth + 1) + c.condition + ': ' + c.actual).join('\n');
    }).join('\n');
  }

  function allProblems() {
    const {configuration, kubelet, podResources} = status;
    const found = [];
    if (configuration.rejected) {
      found.push({kind: 'configuration', number: 1, since: configuration.rejected.since,
        reason: 'The previous configuration stays in force.\n' + configuration.rejected.reason,
        command: patchbay('validate', ...configFiles())});
    }
    if (configuration.unresponsive) {
      found.push({kind: 'other', number: 1, reason: 'The configuration cannot be read: its file system does not respond, or no thread is free.',
        command: patchbay('validate', ...configFiles())});
    }
    if (!kubelet.reachable) {
      found.push({kind: 'kubelet', number: 1, since: kubelet.since, reason: kubelet.reason,
        command: command('journalctl', '--unit=kubelet')});
    }
    if (podResources.state === 'failing') {
      found.push({kind: 'other', number: 1, reason: 'The kubelet does not report which Pod has which unit: ' +
        podResources.reason, command: command('journalctl', '--unit=kubelet')});
    }
    for (const gone of podResources.withdrawnUnits) {
      found.push({kind: 'missing', number: 1, resource: gone.resource, reason: gone.unit +
        ' is allocated to ' + gone.allocatedTo.map(containerText).join(', ') + ', but is not offered any more',
        command: patchbay('status', gone.unit)});
    }
    for (const driver of status.draDrivers) {
      if (driver.state === 'draining') {
        const claims = driver.claims.map(claimText).join(', ');
        found.push({kind: 'draining', number: 1, reason: driver.name + (claims ?
          ' ends with its last ResourceClaim: ' + claims : ' ends when its ResourceSlices are deleted'),
          command: patchbay('status')});
      }
      for (const claim of driver.claims.filter(({phase}) => ['releaseFailed', 'unreadable'].includes(phase))) {
        found.push({kind: 'claim', number: 1, reason: claimText(claim) + ': ' + claim.reason, command: patchbay('status')});
      }
    }
    for (const resource of status.resources) found.push(...problemsOf(resource));
    const order = Object.keys(KINDS);
    return found.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  }

  const claimText = (claim) => (claim.name ? claim.namespace + '/' + claim.name : claim.uid);

  function copyButton(code) {
    const copy = button('Copy', async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        set(copy, 'Copied');
      } catch {
        getSelection().selectAllChildren(code);  // Without TLS there is no clipboard.
        set(copy, 'Selected');
      }
      setTimeout(() => set(copy, 'Copy'), 2000);
    }, {'aria-label': 'copy the command'});
    return copy;
  }

  function problemRow(problem) {
    const row = make('li', {class: KINDS[problem.kind][2]});
    row.what = make('strong');
    row.since = make('time');
    row.ago = make('span', {class: 'dim'}, row.since, ' ago');
    row.reason = make('div', {class: problem.kind === 'configuration' ? 'reason mono' : 'reason'});
    row.code = make('code');
    const head = make('div', {}, row.what, ' ');
    if (problem.resource) {
      head.append(button(problem.resource, () => expand(problem.resource, problem.kind === 'unhealthy' ? 'unhealthy' : ''),
        {class: 'name plain'}), ' ');
    }
    head.append(row.ago);
    row.append(head, row.reason, make('div', {class: 'command'}, row.code, copyButton(row.code)));
    return row;
  }

  function showProblems() {
    const problems = allProblems();
    const numbers = new Map();
    for (const {kind, number} of problems) numbers.set(kind, (numbers.get(kind) || 0) + number);
    if (kindShown && !numbers.has(kindShown)) numbers.set(kindShown, 0);
    const kinds = Object.keys(KINDS).filter((kind) => numbers.has(kind));
    each(at('chips'), kinds.length ? kinds : ['none'], (kind) => kind, (kind) => (kind === 'none' ?
      make('span', {class: 'good'}, 'No problem: all units are healthy, all resources are registered.') :
      button('', () => { kindShown = kindShown === kind ? '' : kind; problemsShown = MOST_PROBLEMS; writeUrl(); showAll(); },
        {class: ('chip ' + KINDS[kind][2]).trim()})),
    (chip, kind) => {
      if (kind === 'none') return;
      set(chip, count(numbers.get(kind), KINDS[kind]));
      chip.setAttribute('aria-pressed', String(kindShown === kind));
    });
    const shown = problems.filter((problem) => !kindShown || problem.kind === kindShown);
    each(at('problems'), shown.slice(0, problemsShown).map((problem, index) => ({...problem, index})),
      (problem) => problem.kind + '\n' + (problem.resource || '') + '\n' + (['missing', 'misconfigured', 'claim', 'draining'].includes(problem.kind) ? problem.reason : ''),
      problemRow, (row, problem) => {
        set(row.what, count(problem.number, KINDS[problem.kind]));
        row.ago.hidden = !problem.since;
        if (problem.since) time(row.since, problem.since);
        set(row.reason, '');
        row.reason.append(...String(problem.reason || '').split('\n')
          .flatMap((line, i) => (i ? [document.createElement('br'), plain(line)] : [plain(line)])));
        set(row.code, problem.command || '');
      });
    at('more-problems').hidden = shown.length <= problemsShown;
    at('where-to-run').hidden = shown.length === 0;
    return new Set(shown.map((problem) => problem.resource));
  }

  // Resources.

  const STATES = {
    registered: ['registered', 'good'], standby: ['standby', ''],
    noKubelet: ['kubelet unavailable', 'warn'], registering: ['registering', 'warn'],
    backingOff: ['registration failed', 'bad'], pending: ['pending', 'warn'], withdrawing: ['withdrawing', ''],
    heldBack: ['held back', 'warn'], notPublished: ['not published', 'warn'],
  };
  // The last two: the kubelet has the DRA driver, but the API server lacks the resource.
  const isRegistered = ({state}) => ['registered', 'heldBack', 'notPublished'].includes(state);
  const stateText = ({kind, state}) => (kind === 'dra' ? 'DRA: ' : '') +
    (kind === 'dra' && state === 'registered' ? 'published' : STATES[state]?.[0] || state);

  // A cell of a row. Its label is the title of its column, which narrow screens show before it.
  function cellOf(row, label, style) {
    return row.appendChild(make('td', {role: 'cell', class: style, 'data-label': label}));
  }

  function resourceRow(resource) {
    const row = make('tr', {role: 'row'});
    row.head = button(resource.name, () => toggle(resource.name), {class: 'name'});
    row.last = make('span');
    row.lastAt = make('time');
    row.append(make('th', {role: 'rowheader', scope: 'row'}, row.head, make('small', {}, row.lastAt, row.last)));
    row.cells_ = {
      units: cellOf(row, 'Units', 'number'), healthy: cellOf(row, 'Healthy', 'number'),
      unhealthy: cellOf(row, 'Unhealthy', 'number'), refused: cellOf(row, 'Refused', 'number'),
      allocated: cellOf(row, 'Allocated', 'number'), state: cellOf(row, 'State', 'short'),
      since: cellOf(row, 'Since', 'short').appendChild(make('time')),
    };
    return row;
  }

  function updateResource(row, resource) {
    const {counts, registration} = resource;
    const cells = row.cells_;
    const count = (cell, number, style) => set(cell, String(number), ('number ' + (number ? style : '')).trim());
    row.head.setAttribute('aria-expanded', String(open.has(resource.name)));
    count(cells.units, counts.units, counts.units ? '' : 'warn');
    count(cells.healthy, counts.healthy, 'good');
    count(cells.unhealthy, counts.unhealthy, 'bad');
    count(cells.refused, counts.refused + counts.incomplete, 'warn');
    set(cells.allocated, String(counts.allocated ?? '-'), 'number');
    const style = STATES[registration.state]?.[1] || '';
    set(cells.state, stateText(registration) + (registration.reason && ': ' + registration.reason), ('short ' + style).trim());
    time(cells.since, registration.since);
    const last = events.findLast((event) => event.resource === resource.name);
    row.lastAt.hidden = !last;
    if (last) time(row.lastAt, last.at);
    set(row.last, last ? ' ago: ' + last.message + (last.unit && ' ' + last.unit) : '');
  }

  // `affected`: the resources that the filter of problems leaves. Resources with problems come first.
  function showResources(affected) {
    const shown = status.resources.filter((resource) => !kindShown || affected.has(resource.name));
    const troubled = new Set(shown.filter((resource) => problemsOf(resource).length).map((r) => r.name));
    const sorted = [...shown.filter((r) => troubled.has(r.name)), ...shown.filter((r) => !troubled.has(r.name))];
    set(at('resource-count'), shown.length < status.resources.length ?
      shown.length + ' of ' + status.resources.length : '');
    const items = [];
    for (const resource of sorted) {
      items.push({key: resource.name, resource});
      if (open.has(resource.name)) items.push({key: resource.name + '\n', inner: resource.name});
    }
    each(at('resources'), items, (item) => item.key,
      (item) => (item.resource ? resourceRow(item.resource) : innerRow(item.inner)),
      (row, item) => { if (item.resource) updateResource(row, item.resource); });
  }

  // An expanded resource.

  function toggle(name) {
    if (!open.delete(name)) open.set(name, {page: 0, match: ''});
    writeUrl();
    showAll();
  }

  function expand(name, match) {
    open.set(name, {page: 0, match});
    writeUrl();
    at('resources').querySelectorAll('.inner').forEach((inner) => {
      if (inner.resource === name) inner.closest('tr').remove();
    });
    showAll();
    const row = [...at('resources').children].find((child) => child.itemKey === name);
    row?.head.focus();
  }

  function innerRow(name) {
    const state = open.get(name);
    const filter = make('input', {type: 'search', placeholder: 'filter units',
      'aria-label': 'filter units of ' + name, value: state.match});
    filter.addEventListener('input', () => {
      state.match = filter.value;
      state.page = 0;
      writeUrl();
      state.look();
    });
    const turn = (step) => () => { state.page += step; writeUrl(); state.look(); };
    state.description = make('p', {class: 'dim'});
    state.found = make('small', {class: 'dim', role: 'status'});
    state.rows = make('tbody', {role: 'rowgroup'});
    state.before = button('Previous page', turn(-1));
    state.after = button('Next page', turn(1));
    state.pager = make('div', {class: 'pager'}, state.before, state.after);
    const head = ['Unit', 'State', 'Since', 'NUMA', 'Location', 'Allocated to', 'Reason and probes'];
    const table = make('table', {class: 'cards', role: 'table', 'aria-label': 'units of ' + name},
      make('thead', {role: 'rowgroup'}, make('tr', {role: 'row'},
        ...head.map((title) => make('th', {role: 'columnheader'}, title)))), state.rows);
    state.look = alone(async () => {
      const answer = await ask('status?refused=false&sort=health&resource=' + encodeURIComponent(name) +
        '&units=' + PAGE + '&from=' + state.page * PAGE + '&match=' + encodeURIComponent(state.match));
      if (open.get(name) === state && answer.resources[0]) showUnits(name, state, answer.resources[0]);
    });
    state.look();
    const inner = make('div', {class: 'inner'}, state.description, make('p', {}, filter, ' ', state.found),
      make('div', {class: 'wide', role: 'region', 'aria-label': 'units of ' + name, tabindex: '0'}, table),
      state.pager);
    inner.resource = name;
    return make('tr', {role: 'row'}, make('td', {role: 'cell', colspan: '8'}, inner));
  }

  function showUnits(name, state, whole) {
    const first = state.page * PAGE;
    if (first > 0 && first >= whole.matchingUnits) {  // The units of this page are gone.
      state.page = Math.max(0, Math.ceil(whole.matchingUnits / PAGE) - 1);
      return state.look();
    }
    set(state.description, whole.description);
    const shown = whole.matchingUnits > PAGE ? (first + 1) + '–' + (first + whole.units.length) + ' of ' : '';
    set(state.found, shown + (whole.matchingUnits === whole.counts.units ? count(whole.matchingUnits, ['unit', 'units']) :
      whole.matchingUnits + ' matching of ' + count(whole.counts.units, ['unit', 'units'])));
    state.pager.hidden = whole.matchingUnits <= PAGE;
    state.before.disabled = first === 0;
    state.after.disabled = first + PAGE >= whole.matchingUnits;
    each(state.rows, whole.units, (unit) => unit.id, unitRow, updateUnit);
  }

  function unitRow(unit) {
    const row = make('tr', {role: 'row'});
    row.cells_ = {id: cellOf(row, 'Unit', 'mono'), state: cellOf(row, 'State', 'short'),
      since: cellOf(row, 'Since', 'short').appendChild(make('time')), nodes: cellOf(row, 'NUMA', 'short'),
      locations: cellOf(row, 'Location', 'mono locations'), allocatedTo: cellOf(row, 'Allocated to'),
      why: cellOf(row, 'Reason and probes', 'why')};
    row.cells_.id.append(button(unit.id, () => {
      at('event-filter').value = unit.id;
      writeUrl();
      showEvents();
      at('event-filter').focus();
    }, {title: 'show the events of this unit'}), row.shares = make('small'));
    row.reason = row.cells_.why.appendChild(make('div'));
    row.probes = row.cells_.why.appendChild(make('ul', {class: 'probes'}));
    return row;
  }

  const containerText = (container) => container.namespace + '/' + container.pod + '/' + container.container;

  function probeText(probe) {
    let text = probe.probe + ': ' + (probe.result === 'none' ? 'not run yet' :
      probe.result === 'error' ? 'cannot run' : probe.result);
    if (probe.at) text += ' ' + ageOf(probe.at) + ' ago in ' + (1000 * probe.durationSeconds).toFixed(1) + ' ms';
    if (probe.reason) text += ': ' + probe.reason;
    if (probe.runningSince) text += ', running for ' + ageOf(probe.runningSince);
    if (probe.overdue) text += ', overdue';
    return text;
  }

  function updateUnit(row, unit) {
    const cells = row.cells_;
    set(row.shares, unit.shares ? count(unit.shares, ['share', 'shares']) : '');
    set(cells.state, unit.healthy ? 'healthy' : 'unhealthy', unit.healthy ? 'short good' : 'short bad');
    time(cells.since, unit.since);
    set(cells.nodes, unit.numaNodes.join(', '));
    set(cells.locations, unit.members.map((m) => (m.role && m.role + '=') + (m.devnode || m.key)).join(' '));
    cells.locations.title = unit.members.map((m) => plain(m.key)).join('\n');
    set(cells.allocatedTo, unit.allocatedTo.map(containerText).join(', '));
    set(row.reason, unit.reason || (unit.lastUnhealthyReason &&
      'recovered ' + ageOf(unit.since) + ' ago; it was: ' + unit.lastUnhealthyReason));
    each(row.probes, unit.probes.map((probe, index) => ({probe, index})), (item) => item.index,
      () => make('li'), (line, {probe}) => set(line, probeText(probe),
        probe.overdue ? 'warn' : probe.result === 'passed' ? 'dim' : probe.result === 'none' ? '' : 'bad'));
  }

  // Devices that are not offered.

  function showRefused() {
    const rows = [];
    let all = 0;
    for (const resource of status.resources) {
      all += resource.counts.refused + resource.counts.incomplete;
      for (const refusal of resource.refused) {
        if (refusal.kind !== 'claimed') rows.push([resource.name, refusal.devnode || refusal.device, refusal.kind, refusal.reason]);
      }
      const others = [...resource.unresponsive.map((p) => [resource.name, p.path, 'unresponsive', p.reason]),
        ...resource.degraded.map((d) => [resource.name, d.pattern, 'degraded', d.reason])];
      others.push(...resource.lostUnits.map((unit) => [resource.name, unit.id, 'lost', lostText(unit)]));
      all += others.length;
      rows.push(...others);
    }
    for (const gone of status.podResources.withdrawnUnits) {
      ++all;
      rows.push([gone.resource, gone.unit, 'missing', 'allocated to ' + gone.allocatedTo.map(containerText).join(', ')]);
    }
    for (const left of status.excluded) {
      ++all;
      rows.push([left.resource, '', 'excluded',
        left.conditions.map((c) => c.condition + ': ' + c.actual).join('; ')]);
    }
    at('refused-part').hidden = rows.length === 0;
    set(at('refused-count'), rows.length < all ? rows.length + ' of ' + all : '');
    at('more-refused').hidden = rows.length >= all;
    each(at('refused'), rows, (row) => row.join('\n'), ([name, device, kind, reason]) => {
      const row = make('tr', {role: 'row'});
      cellOf(row, 'Resource', 'mono').append(plain(name));
      cellOf(row, 'Device', 'mono').append(plain(device));
      cellOf(row, 'Kind', kind === 'refused' ? 'bad' : kind === 'lost' ? '' : 'warn').append(plain(kind));
      cellOf(row, 'Reason').append(plain(reason));
      return row;
    }, () => {});
  }

  // Events.

  function eventLine(event) {
    const style = event.level === 'error' ? 'bad' : event.level === 'warning' ? 'warn' : '';
    return make('li', {}, make('time', {class: 'dim mono', datetime: event.at}, localText(event.at)),
      ' ', make('span', {class: ('tag ' + style).trim()}, event.kind), ' ',
      make('span', {class: 'mono'}, [event.resource, event.unit].filter(Boolean).join(' ')), ' ',
      event.message + (event.fields && ': ' + event.fields));
  }

  function showEvents() {
    const words = at('event-filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = events.filter((event) => {
      const text = Object.values(event).join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    each(at('events'), found.slice(-eventsShown).reverse(), (event) => JSON.stringify(event), eventLine, () => {});
    at('more-events').hidden = found.length <= eventsShown;
    set(at('event-count'), found.length + ' of ' + events.length);
  }

  // The state of the view is in the URL, so that a link shows the same.

  function writeUrl() {
    const view = new URLSearchParams();
    if (kindShown) view.set('show', kindShown);
    for (const [name, {page, match}] of open) {
      view.append('resource', name);
      if (match) view.set('match:' + name, match);
      if (page) view.set('page:' + name, String(page + 1));
    }
    const filter = at('event-filter').value;
    if (filter) view.set('events', filter);
    history.replaceState(null, '', String(view) ? '#' + view : location.pathname);
  }

  function readUrl() {
    const view = new URLSearchParams(location.hash.slice(1));
    kindShown = Object.hasOwn(KINDS, view.get('show') || '') ? view.get('show') : '';
    open.clear();
    for (const name of view.getAll('resource')) {
      const page = Number.parseInt(view.get('page:' + name), 10);
      open.set(name, {page: page > 1 ? page - 1 : 0, match: view.get('match:' + name) || ''});
    }
    at('event-filter').value = view.get('events') || '';
  }

  // All parts.

  function showAll() {
    showResources(showProblems());
  }

  // Reading the devices that nearly match costs the daemon more than the rest: it is asked when the
  // set of empty resources changes.
  let emptyAsked = '';
  const lookAtUnmatched = alone(async () => {
    const groups = (await ask('unmatched')).unmatchedGroups;
    unmatched = {};
    for (const group of groups) (unmatched[group.resource] ||= []).push(group);
    showAll();
  });

  const look = alone(async () => {
    status = await ask('status?units=1&sort=health&refused=' + refusedShown);
    ahead = Date.parse(status.at) - Date.now();
    showHeader();
    showAll();
    showRefused();
    const empty = JSON.stringify([status.configuration.generation,
      status.resources.filter(isEmpty).map((resource) => resource.name)]);
    if (empty !== emptyAsked) {
      emptyAsked = empty;
      if (status.resources.some(isEmpty)) lookAtUnmatched();
    }
    for (const state of open.values()) state.look?.();
  });

  // Another daemon numbers its events from 1 again. So the last known event is requested, too.
  const lookAtEvents = alone(async () => {
    const last = events.at(-1);
    let found = await ask('events?after=' + (last ? last.number - 1 : 0));
    const same = last && JSON.stringify(found[0]) === JSON.stringify(last);
    if (last && !same) found = await ask('events');
    if (same) found.shift();
    if (found.length === 0) return;
    events = (same ? events.concat(found) : found).slice(-MOST_EVENTS);
    showEvents();
    if (last || !status) look(); else showAll();
  });

  at('event-filter').addEventListener('input', () => { writeUrl(); showEvents(); });
  at('more-events').addEventListener('click', () => { eventsShown += 5 * PAGE; showEvents(); });
  at('more-refused').addEventListener('click', () => { refusedShown += 5 * PAGE; look(); });
  at('more-problems').addEventListener('click', () => { problemsShown += PAGE; showAll(); });
  addEventListener('hashchange', () => {
    readUrl();
    at('resources').replaceChildren();
    showAll();
    showEvents();
  });
  const whileVisible = (act) => () => { if (!document.hidden) act(); };
  const lookAtAll = whileVisible(() => look().then(lookAtEvents));
  document.addEventListener('visibilitychange', lookAtAll);
  setInterval(whileVisible(lookAtEvents), POLL);
  setInterval(whileVisible(look), REFRESH);
  setInterval(whileVisible(showAges), AGES);
  document.body.classList.add('with-script');
  set(at('zone'), zoneText());
  readUrl();
  lookAtAll();
})();
