package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// Time limit of a kubelet for reaching a registering plugin.
const dialPatience = 10 * time.Second

// A plugin's list, and the time when it was decoded completely.
type List struct {
	Resource string
	At       time.Time
	Devices  []*api.Device
}

// Kubelet behaves like the kubelet towards device plugins, with the kubelet's gRPC and generated
// code. It serves registrations, connects back, asks for the options, and then follows the lists.
// Any goroutine may call its methods.
type Kubelet struct {
	api.UnimplementedRegistrationServer
	directory string
	names     map[string]string // By resource name without its domain: the wanted name.

	mu      sync.Mutex
	arrived *sync.Cond
	lists   []List
	plugins map[string]*plugin // by resource; the newest
	all     []*plugin
	server  *grpc.Server
	process *Process // Sender of the lists; may be nil.
}

// The connection to one endpoint of a plugin.
type plugin struct {
	connection *grpc.ClientConn
	client     api.DevicePluginClient
	cancel     context.CancelFunc
}

// NewKubelet serves in a directory. Plugins may have a fixed domain. For each wanted resource, one
// with another domain is also accepted.
func NewKubelet(directory string, resources []Resource) (*Kubelet, error) {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, err
	}
	kubelet := &Kubelet{directory: directory, plugins: map[string]*plugin{}, names: map[string]string{}}
	for _, resource := range resources {
		kubelet.names[resource.Name] = resource.FullName()
	}
	kubelet.arrived = sync.NewCond(&kubelet.mu)
	return kubelet, kubelet.Start()
}

// Start makes kubelet.sock and serves it.
func (k *Kubelet) Start() error {
	listener, err := net.Listen("unix", filepath.Join(k.directory, "kubelet.sock"))
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api.RegisterRegistrationServer(server, k)
	k.mu.Lock()
	k.server = server
	k.mu.Unlock()
	go server.Serve(listener) // Ends with Stop(); its error is irrelevant.
	return nil
}

// Stop ends like a killed kubelet: its socket and its connections are gone.
func (k *Kubelet) Stop() {
	k.mu.Lock()
	server, all := k.server, k.all
	k.server, k.all, k.plugins = nil, nil, map[string]*plugin{}
	k.mu.Unlock()
	if server != nil {
		server.Stop()
	}
	for _, plugin := range all {
		plugin.cancel()
		plugin.connection.Close()
	}
}

// Clear removes every socket in the directory, as a kubelet does when it starts.
func (k *Kubelet) Clear() error {
	entries, err := os.ReadDir(k.directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Type()&os.ModeSocket != 0 {
			if err := os.Remove(filepath.Join(k.directory, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Register is called by a plugin. As in the kubelet, the plugin must answer before it returns.
func (k *Kubelet) Register(ctx context.Context, request *api.RegisterRequest) (*api.Empty, error) {
	if request.Version != api.Version {
		return nil, fmt.Errorf("the version is %q, not %q", request.Version, api.Version)
	}
	resource := request.ResourceName
	if known, is := k.names[path.Base(resource)]; is {
		resource = known
	}
	connection, err := dial(filepath.Join(k.directory, request.Endpoint))
	if err != nil {
		return nil, err
	}
	client := api.NewDevicePluginClient(connection)
	if _, err := client.GetDevicePluginOptions(ctx, &api.Empty{}); err != nil {
		connection.Close()
		return nil, fmt.Errorf("failed to get device plugin options: %w", err)
	}
	watching, cancel := context.WithCancel(context.Background())
	registered := &plugin{connection: connection, client: client, cancel: cancel}
	k.mu.Lock()
	if k.server == nil { // Stopped in the meantime.
		k.mu.Unlock()
		cancel()
		connection.Close()
		return nil, errors.New("the kubelet is stopping")
	}
	k.plugins[resource] = registered
	k.all = append(k.all, registered)
	k.mu.Unlock()
	go k.watch(watching, resource, registered)
	return &api.Empty{}, nil
}

// Waits until the plugin accepts, as the kubelet does.
func dial(path string) (*grpc.ClientConn, error) {
	connection, err := grpc.NewClient("passthrough:///localhost",
		grpc.WithAuthority("localhost"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialPatience)
	defer cancel()
	connection.Connect()
	for state := connection.GetState(); state != connectivity.Ready; state = connection.GetState() {
		if !connection.WaitForStateChange(ctx, state) {
			connection.Close()
			return nil, fmt.Errorf("failed to dial device plugin: %s", path)
		}
		if state == connectivity.Idle {
			connection.Connect()
		}
	}
	return connection, nil
}

func (k *Kubelet) watch(ctx context.Context, resource string, from *plugin) {
	defer from.connection.Close()
	stream, err := from.client.ListAndWatch(ctx, &api.Empty{})
	if err != nil {
		return
	}
	for {
		response, err := stream.Recv()
		if err != nil {
			return
		}
		list := List{Resource: resource, At: time.Now(), Devices: response.Devices}
		k.mu.Lock()
		k.lists = append(k.lists, list)
		k.mu.Unlock()
		k.arrived.Broadcast()
	}
}

// Mark is a position in the sequence of lists, from which a Wait may begin.
func (k *Kubelet) Mark() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.lists)
}

// Forget drops all lists except the newest of each resource. Earlier marks become invalid.
func (k *Kubelet) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	newest := map[string]List{}
	for _, list := range k.lists {
		newest[list.Resource] = list
	}
	k.lists = nil
	for _, list := range newest {
		k.lists = append(k.lists, list)
	}
}

// Newest is the last list of a resource; nil if there is none.
func (k *Kubelet) Newest(resource string) []*api.Device {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.lists) - 1; i >= 0; i-- {
		if k.lists[i].Resource == resource {
			return k.lists[i].Devices
		}
	}
	return nil
}

var errNoList = errors.New("no list received")

// Follow cancels waiting calls when the process ends.
func (k *Kubelet) Follow(process *Process) {
	k.mu.Lock()
	k.process = process
	k.mu.Unlock()
	go func() {
		<-process.ended
		k.arrived.Broadcast()
	}()
}

// Wait returns the first list since the mark that satisfies the condition.
func (k *Kubelet) Wait(mark int, patience time.Duration, wanted func(*List) bool) (List, error) {
	deadline := time.Now().Add(patience)
	late := time.AfterFunc(patience, k.arrived.Broadcast)
	defer late.Stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		for ; mark < len(k.lists); mark++ {
			if wanted(&k.lists[mark]) {
				return k.lists[mark], nil
			}
		}
		if (k.process != nil && k.process.HasEnded()) || !time.Now().Before(deadline) {
			return List{}, errNoList
		}
		k.arrived.Wait()
	}
}

// WaitAll waits for a first list with that many units of each resource. Returns the time of the
// last.
func (k *Kubelet) WaitAll(mark int, patience time.Duration, units map[string]int) (time.Time, error) {
	missing := map[string]int{}
	for resource, count := range units {
		missing[resource] = count
	}
	var last time.Time
	_, err := k.Wait(mark, patience, func(list *List) bool {
		if count, is := missing[list.Resource]; is && len(list.Devices) >= count {
			delete(missing, list.Resource)
			last = list.At
		}
		return len(missing) == 0
	})
	return last, err
}

// Client is the client for calls to the plugin of a resource.
func (k *Kubelet) Client(resource string) (api.DevicePluginClient, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if registered := k.plugins[resource]; registered != nil {
		return registered.client, nil
	}
	return nil, fmt.Errorf("%s is not registered", resource)
}
