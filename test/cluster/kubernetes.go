// Every program of a Kubernetes node and its control plane in one, selected by its file name: one
// link instead of six.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	cm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// The kubelet's command requires a context since 1.31.
func kubeletCommand() *cobra.Command {
	switch make := any(kubelet.NewKubeletCommand).(type) {
	case func() *cobra.Command:
		return make()
	case func(context.Context) *cobra.Command:
		return make(context.Background())
	}
	panic("kubelet.NewKubeletCommand has another form")
}

// The answer of the kubelet's PodResources API at a socket, as a line of JSON: the assignments and
// the allocatable devices. With `watch`, a line after each change of the latter, with the time in
// milliseconds.
func podResources(socket string, watch bool) error {
	connection, err := grpc.Dial("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	client := podresources.NewPodResourcesListerClient(connection)
	ctx := context.Background()
	if !watch {
		held, err := client.List(ctx, &podresources.ListPodResourcesRequest{})
		if err != nil {
			return err
		}
		there, err := client.GetAllocatableResources(ctx, &podresources.AllocatableResourcesRequest{})
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"held": held, "allocatable": there})
	}
	last := ""
	// The kubelet answers a hundred times per second.
	for range time.Tick(10500 * time.Microsecond) {
		now := "null" // no answer
		there, err := client.GetAllocatableResources(ctx, &podresources.AllocatableResourcesRequest{})
		if err == nil {
			// The kubelet omits empty lists, so an empty answer is valid.
			text, _ := json.Marshal(append([]*podresources.ContainerDevices{}, there.GetDevices()...))
			now = string(text)
		} else if status.Code(err) == codes.ResourceExhausted {
			continue
		}
		if now != last {
			fmt.Printf("%d %s\n", time.Now().UnixMilli(), now)
			last = now
		}
	}
	return nil
}

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kubelet":
		os.Exit(cli.Run(kubeletCommand()))
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(cm.NewControllerManagerCommand()))
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	case "pod-resources":
		if err := podResources(os.Args[1], len(os.Args) > 2); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Fprintln(os.Stderr, "unknown component", name)
		os.Exit(2)
	}
}
