package main

// Rows of the table. A new row needs an entry in `rows` and a measurement in `measurements()` that
// fills it. The comment of the measurement's function (row_*.go) says when it starts and ends. A list
// counts as received when the kubelet has decoded all of it.

// Row is a line of the table.
type Row struct {
	ID    string
	What  string
	Unit  string // "ms", "µs", "MB", "" of a count
	Goals []Goal
}

func atMost(statistic Statistic, limit float64) Goal { return Goal{Statistic: statistic, Limit: limit} }
func ofFloor(limit float64) Goal                     { return Goal{Median, limit, true} }

// All rows, in the order of the table.
var rows = []Row{
	{"plug-rule", "zram plugged → list, rule over the subsystem", "ms", []Goal{ofFloor(1.25)}},
	{"plug-glob", "zram plugged → list, glob", "ms", []Goal{atMost(P99, 5)}},
	{"unplug-rule", "zram unplugged → list, rule over the subsystem", "ms", nil},
	{"unplug-glob", "zram unplugged → list, glob", "ms", nil},
	{"file", "file created under a glob → list, alone", "ms", []Goal{ofFloor(1.25)}},
	{"file-1000", "… beside 1 000 others", "ms", []Goal{ofFloor(1.25)}},
	{"file-10000", "… beside 10 000 others", "ms", []Goal{ofFloor(1.25)}},
	{"allocate", "Allocate, back to back", "µs", []Goal{ofFloor(1.05)}},
	{"allocate-silence", "Allocate, after a pause of 50–200 ms", "ms", []Goal{ofFloor(1.1)}},
	{"start-1", "start → list, 1 unit", "ms", []Goal{atMost(Median, 9)}},
	{"start-100", "start → list, 100 units", "ms", []Goal{atMost(Median, 9)}},
	{"start-resources", "start → last list, 100 resources", "ms", []Goal{atMost(Median, 60)}},
	{"start-10000", "start → list, 10 000 units", "ms", []Goal{atMost(Median, 60)}},
	{"rss-1", "resident memory, 1 resource", "MB", []Goal{atMost(Median, 11)}},
	{"rss-100", "resident memory, 100 resources", "MB", []Goal{atMost(Median, 14.5)}},
	{"rss-200", "resident memory, 200 resources", "MB", []Goal{atMost(Median, 17.5)}},
	{"rss-10000", "resident memory, 10 000 units", "MB", []Goal{atMost(Median, 28)}},
	{"anonymous-10000", "… of which anonymous", "MB", nil},
	{"rss-43690", "resident memory, 43 690 units", "MB", []Goal{atMost(Median, 90)}},
	{"anonymous-43690", "… of which anonymous", "MB", nil},
	{"idle-1", "CPU time in 60 s, idle, 1 resource", "ms", []Goal{atMost(Median, 5)}},
	{"wakes-1", "wake-ups per second, idle, 1 resource", "", []Goal{atMost(Median, 1)}},
	{"idle-10000", "CPU time in 60 s, idle, 10 000 units", "ms", []Goal{atMost(Median, 10)}},
	{"wakes-10000", "wake-ups per second, idle, 10 000 units", "", []Goal{atMost(Median, 1)}},
	{"restart-1", "kubelet.sock created → list, 1 resource", "ms", []Goal{atMost(Median, 4), atMost(P95, 8)}},
	{"restart-100", "kubelet.sock created → last list, 100 resources", "ms", []Goal{atMost(Median, 50)}},
	{"stop-1", "SIGTERM → exit, 1 unit", "ms", []Goal{atMost(Median, 5)}},
	{"stop-10000", "SIGTERM → exit, 10 000 units", "ms", []Goal{atMost(Median, 10)}},
	{"uevents-other", "CPU time of 10 000 uevents that no rule matches", "ms", []Goal{atMost(Median, 60)}},
	{"uevents-own", "CPU time of 10 000 uevents of a unit", "ms", []Goal{atMost(Median, 60)}},
}

// The measurements that fill them, in order.
func measurements() []*Measurement {
	return []*Measurement{
		plugged("plug-rule", "unplug-rule", zramByRule),
		plugged("plug-glob", "unplug-glob", zramByGlob),
		appearing("file", 0, 500),
		appearing("file-1000", 1_000, 300),
		appearing("file-10000", 10_000, 100),
		allocated(),
		allocatedAfterSilence(),
		started("start-1", "stop-1", 50, oneResource(1)),
		started("start-100", "", 50, oneResource(100)),
		started("start-resources", "", 20, resourcesOfOne(100)),
		started("start-10000", "stop-10000", 20, oneResource(10_000)),
		resident("rss-1", "", oneResource(1)),
		resident("rss-100", "", resourcesOfOne(100)),
		resident("rss-200", "", resourcesOfOne(200)),
		resident("rss-10000", "anonymous-10000", oneResource(10_000)),
		resident("rss-43690", "anonymous-43690", oneResource(43_690)),
		resting("idle-1", "wakes-1", oneResource(1)),
		resting("idle-10000", "wakes-10000", oneResource(10_000)),
		restarted("restart-1", 50, oneResource(1)),
		restarted("restart-100", 30, resourcesOfOne(100)),
		flooded("uevents-other", zramByRule),
		flooded("uevents-own", zramByRule, nullByRule),
	}
}
