#!/bin/busybox sh
# The first process of the lab's machine. After the boot it runs commands, one per line, and reports
# the exit status of each.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run

while read -r module; do insmod "/modules/$module"; done </modules/modules.order
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle
# From here on the console has all kernel messages.
echo 8 >/proc/sys/kernel/printk

exec 0<>/dev/vport0p1 1>&0 2>&0
echo up
while read -r command; do
  eval "$command"
  printf '\nended %d\n' $?
done
