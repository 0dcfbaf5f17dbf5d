package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

var nullByGlob = Resource{Domain: domain, Name: "null", Glob: "/dev/null", Units: 1}

// Allocate of one unit, one call after the other, from the call until the answer is decoded. The
// floor's answer is empty. The first ten calls of each take do not count.
func allocated() *Measurement {
	const calls = 100
	return &Measurement{
		Rows: []string{"allocate"}, Takes: 50, Quick: 10, Sharing: Alternate, Floor: true,
		Open: running(null),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			samples := make([]float64, 0, calls)
			for call := range calls + calls/10 {
				took, err := s.allocateOnce()
				if err != nil {
					return nil, err
				}
				if call >= calls/10 { // The calls before have woken all contestants.
					samples = append(samples, microseconds(took))
				}
			}
			return Samples{"allocate": samples}, nil
		},
	}
}

// The same, but each call follows a random pause.
func allocatedAfterSilence() *Measurement {
	const shortest, longest = 50 * time.Millisecond, 200 * time.Millisecond
	return &Measurement{
		Rows: []string{"allocate-silence"}, Takes: 200, Quick: 40, Sharing: Alternate, Floor: true,
		Open: running(null),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			time.Sleep(shortest + rand.N(longest-shortest))
			took, err := s.allocateOnce()
			return Samples{"allocate-silence": {milliseconds(took)}}, err
		},
	}
}

func null(*Bench) ([]Resource, error) {
	return []Resource{nullByGlob}, nil
}

func (s *Session) allocateOnce() (time.Duration, error) {
	resource := s.Setting.Resources[0].FullName()
	client, err := s.Kubelet.Client(resource)
	if err != nil {
		return 0, err
	}
	devices := s.Kubelet.Newest(resource)
	if len(devices) == 0 {
		return 0, errors.New("no unit to allocate")
	}
	request := &api.AllocateRequest{ContainerRequests: []*api.ContainerAllocateRequest{
		{DevicesIds: []string{devices[0].ID}},
	}}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	begin := time.Now()
	_, err = client.Allocate(ctx, request)
	return time.Since(begin), err
}
