package main

import "time"

const million = 1e6

// Resident memory some seconds after the lists arrived, with the kubelet's streams and the status
// socket open.
func resident(row, anonymous string, resources func(*Bench) ([]Resource, error)) *Measurement {
	const rest = 3 * time.Second
	measurement := &Measurement{
		Rows: []string{row}, Takes: 3, Quick: 1, Sharing: Alternate, Floor: true,
		Open: prepared(resources),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			if _, err := s.Begin(); err != nil {
				return nil, err
			}
			time.Sleep(rest)
			all, ofNoFile, err := memoryOf(s.Process.Pid())
			if err != nil {
				return nil, err
			}
			samples := Samples{row: {float64(all) / million}}
			if anonymous != "" {
				samples[anonymous] = []float64{float64(ofNoFile) / million}
			}
			_, err = s.End()
			return samples, err
		},
	}
	if anonymous != "" {
		measurement.Rows = append(measurement.Rows, anonymous)
	}
	return measurement
}

// CPU time of the process and voluntary context switches of its threads, in an idle minute. A quick run takes ten seconds and extrapolates.
func resting(cpu, wakes string, resources func(*Bench) ([]Resource, error)) *Measurement {
	const settle, minute, quick = 12 * time.Second, time.Minute, 10 * time.Second
	return &Measurement{
		Rows: []string{cpu, wakes}, Takes: 3, Quick: 1, Sharing: AtOnce, Floor: true,
		Open: func(b *Bench, contestant *Contestant) (*Session, error) {
			session, err := running(resources)(b, contestant)
			if err == nil {
				time.Sleep(settle)
			}
			return session, err
		},
		Take: func(b *Bench, s *Session) (Samples, error) {
			length := minute
			if b.Quick {
				length = quick
			}
			usedBefore, err := cpuOf(s.Process.Pid())
			if err != nil {
				return nil, err
			}
			sleptBefore, err := sleepsOf(s.Process.Pid())
			if err != nil {
				return nil, err
			}
			time.Sleep(length)
			sleptAfter, err := sleepsOf(s.Process.Pid())
			if err != nil {
				return nil, err
			}
			usedAfter, err := cpuOf(s.Process.Pid())
			used := milliseconds(usedAfter-usedBefore) * float64(minute) / float64(length)
			slept := float64(sleepsBetween(sleptBefore, sleptAfter)) / length.Seconds()
			return Samples{cpu: {used}, wakes: {slept}}, err
		},
	}
}
