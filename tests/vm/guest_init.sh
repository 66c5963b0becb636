#!/bin/sh
# First process of the test machine, inside the initramfs: find the disks, then hand over to the real root.
#
# Kernel command line:  glovebox.mode=probe    say that a kernel boots here, and stop (used to try KVM)
#                       glovebox.mode=plain    no systemd: guest_suite.sh is pid 1 and makes the cgroups itself
#                       glovebox.mode=attacks  the same, for other suites
#                       glovebox.mode=systemd  Debian's own pid 1, with a user manager for the test user
# No sysctl is touched anywhere: the guest keeps the defaults of Debian's kernel, as a user's machine would.

B=/bin/busybox
fail() {
  echo "guest: $*"
  echo "GLOVEBOX-VM-EXIT: 125"
  $B poweroff -f
}

$B mount -t proc proc /proc
$B mount -t sysfs sysfs /sys
$B mount -t devtmpfs devtmpfs /dev

mode=plain
for word in $($B cat /proc/cmdline); do
  case $word in
    glovebox.mode=*) mode=${word#glovebox.mode=} ;;
  esac
done

if [ "$mode" = probe ]; then
  echo "GLOVEBOX-VM-EXIT: 0"
  $B poweroff -f
fi

for module in /modules/*.ko; do
  $B insmod "$module" || fail "loading $module failed"
done
tries=0
while [ ! -b /dev/vda ] || [ ! -b /dev/vdb ]; do
  tries=$((tries + 1))
  [ $tries -le 100 ] || fail "the disks did not appear within 10 s"
  $B sleep 0.1
done

# Writable as on any machine; QEMU throws the writes away when the guest ends.
$B mount -t ext4 /dev/vda /root || fail "the root disk cannot be mounted"
$B mount -t ext4 -o ro /dev/vdb /root/opt/glovebox || fail "the payload disk cannot be mounted"
$B chown -R 1000:1000 /root/home/tester

$B mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs /root/run
$B mkdir -p /root/run/lock
$B mount --move /dev /root/dev
$B mount --move /proc /root/proc
$B mount --move /sys /root/sys

if [ "$mode" = systemd ]; then
  units=/root/etc/systemd/system
  $B mkdir -p $units/multi-user.target.wants /root/var/lib/systemd/linger
  $B cp /root/opt/glovebox/tests/vm/guest_suite.service $units/glovebox-suite.service
  $B ln -sf /etc/systemd/system/glovebox-suite.service $units/multi-user.target.wants/glovebox-suite.service
  $B ln -sf /lib/systemd/system/multi-user.target $units/default.target
  # Lingering starts the user's manager at boot, as a login would.
  : >/root/var/lib/systemd/linger/tester
  exec $B switch_root /root /lib/systemd/systemd
fi

$B mkdir -p /root/dev/pts /root/dev/shm
$B mount -t devpts -o mode=0620,gid=5,ptmxmode=0666 devpts /root/dev/pts
$B mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /root/dev/shm
$B ln -sf /proc/self/fd /root/dev/fd
$B ln -sf fd/0 /root/dev/stdin
$B ln -sf fd/1 /root/dev/stdout
$B ln -sf fd/2 /root/dev/stderr
$B mount -t securityfs securityfs /root/sys/kernel/security
$B mount -t cgroup2 -o nsdelegate cgroup2 /root/sys/fs/cgroup || fail "cgroup2 cannot be mounted"
exec $B switch_root /root /bin/bash /opt/glovebox/tests/vm/guest_suite.sh "$mode"
