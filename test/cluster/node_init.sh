#!/usr/bin/env bash
# The first process of a machine (machine.py). Prepares the namespaces so that they resemble a
# machine, reports this, and reaps orphans.
#   node_init.sh STATE     STATE: a directory that survives a reboot
set -euo pipefail
state=$1

mount --make-rprivate /
# Changes of /etc, /opt and /var stay inside. Data that must survive a reboot is in STATE.
mkdir -p "$state"/{kubelet,containerd,pods,scratch}
mount -t tmpfs tmpfs "$state/scratch"
for directory in etc opt var; do
  mkdir -p "$state/scratch/$directory"/{upper,work}
  mount -t overlay overlay "/$directory" \
    -o "lowerdir=/$directory,upperdir=$state/scratch/$directory/upper,workdir=$state/scratch/$directory/work"
done
mkdir -p /var/lib/kubelet /var/lib/containerd /var/log/pods /var/log/containers /etc/cni/net.d
mount --bind "$state/kubelet" /var/lib/kubelet
mount --bind "$state/containerd" /var/lib/containerd
mount --bind "$state/pods" /var/log/pods

# The sysfs of this network namespace, with the control groups of the machine around it.
mkdir -p "$state/scratch/cgroup"
mount --rbind /sys/fs/cgroup "$state/scratch/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$state/scratch/cgroup" /sys/fs/cgroup
umount --lazy "$state/scratch/cgroup"

mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/udev
[[ -e /var/run ]] || ln -s /run /var/run
# Each boot has its own id.
cat /proc/sys/kernel/random/uuid >"$state/scratch/boot_id"
mount --bind "$state/scratch/boot_id" /proc/sys/kernel/random/boot_id
mount --make-rshared /

ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
echo up
# Bash reaps the orphans.
while :; do
  sleep 3600 &
  wait $! || true
done
