import type { Domain } from '../patterns/pattern.ts'

/** Where to look next, by the domain of the trouble. */
export const advice: Readonly<Record<Domain, string>> = {
  service_health: 'Check why the service ended: its last lines, its exit code, and its dependencies.',
  networking: 'Check from the affected machine whether the name resolves, the address answers and the port is open.',
  auth: 'Check who was refused and from where: one address with many names suggests an attack, a single name an expired or changed password.',
  storage: 'Check the free space and inodes of the file systems, and the health of the disks (SMART, RAID).',
  memory: 'Check what used the memory before it ran out, and the limits of the process or its container.',
  kernel: 'Check the kernel messages just before, and whether they name a device or a driver.',
  power: 'Check the power supply and its battery, and whether machines were shut down properly.',
  web_proxy: 'Check whether the server behind the proxy responds to direct requests, and how fast.',
  media: 'Check whether the library is available and whether the machine keeps up with transcoding.',
  gpu: 'Check the temperature and errors of the GPU, and whether driver and runtime versions match.',
}
