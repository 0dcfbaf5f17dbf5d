package main

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// A plugin with lists from the test.
type scripted struct {
	api.UnimplementedDevicePluginServer
	lists chan []*api.Device
}

func (*scripted) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (s *scripted) ListAndWatch(_ *api.Empty, stream grpc.ServerStreamingServer[api.ListAndWatchResponse]) error {
	for {
		select {
		case devices := <-s.lists:
			if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return nil
		}
	}
}

// A kubelet for the resource example.com/gpu.
func newKubelet(t *testing.T) *Kubelet {
	t.Helper()
	kubelet, err := NewKubelet(filepath.Join(t.TempDir(), "k"), []Resource{{Domain: domain, Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kubelet.Stop)
	return kubelet
}

func register(t *testing.T, kubelet *Kubelet, resource string) *scripted {
	t.Helper()
	plugin := &scripted{lists: make(chan []*api.Device)}
	listener, err := net.Listen("unix", filepath.Join(kubelet.directory, "plugin.sock"))
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, plugin)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	connection, err := grpc.NewClient("unix:"+filepath.Join(kubelet.directory, "kubelet.sock"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_, err = api.NewRegistrationClient(connection).Register(context.Background(),
		&api.RegisterRequest{Version: api.Version, Endpoint: "plugin.sock", ResourceName: resource})
	if err != nil {
		t.Fatal(err)
	}
	return plugin
}

func units(names ...string) []*api.Device {
	var devices []*api.Device
	for _, name := range names {
		devices = append(devices, &api.Device{ID: name, Health: api.Healthy})
	}
	return devices
}

func TestListsAreWaitedForFromAMark(t *testing.T) {
	kubelet := newKubelet(t)
	plugin := register(t, kubelet, "example.com/gpu")
	plugin.lists <- units("a")
	if _, err := kubelet.WaitAll(0, patience, map[string]int{"example.com/gpu": 1}); err != nil {
		t.Fatal(err)
	}
	mark := kubelet.Mark()
	anything := func(*List) bool { return true }
	if list, err := kubelet.Wait(mark, time.Millisecond, anything); err != errNoList {
		t.Errorf("of before the mark came %v, %v", list, err)
	}
	plugin.lists <- units("a", "b")
	list, err := kubelet.Wait(mark, patience, func(list *List) bool { return names(list.Devices, "b") })
	if err != nil || len(list.Devices) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	kubelet.Forget()
	if newest := kubelet.Newest("example.com/gpu"); !names(newest, "b") {
		t.Errorf("the newest is %v", newest)
	}
}

func TestAnotherDomainCounts(t *testing.T) {
	kubelet := newKubelet(t)
	plugin := register(t, kubelet, "built-in.example/gpu")
	plugin.lists <- units("a")
	if _, err := kubelet.WaitAll(0, patience, map[string]int{"example.com/gpu": 1}); err != nil {
		t.Error(err)
	}
	if _, err := kubelet.Client("example.com/gpu"); err != nil {
		t.Error(err)
	}
}

func TestRestartForgetsWhoWasRegistered(t *testing.T) {
	kubelet := newKubelet(t)
	register(t, kubelet, "example.com/gpu")
	kubelet.Stop()
	if err := kubelet.Clear(); err != nil {
		t.Fatal(err)
	}
	if err := kubelet.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := kubelet.Client("example.com/gpu"); err == nil {
		t.Error("it still knows the plugin")
	}
}
