import type { Domain } from '../patterns/pattern.ts'

/** Where to look next, by what the trouble is about. */
export const advice: Readonly<Record<Domain, string>> = {
  service_health: 'See why the service ended: its own last lines before it did, its exit code, and what it depends on.',
  networking:
    'See whether the name resolves, the address answers and the port is open, from the machine that complains.',
  auth: 'See who was refused and from where: one address with many names is an attack, one name an expired or changed password.',
  storage:
    'See how full the file systems are (space and inodes) and what the disks report of themselves (SMART, the array).',
  memory: 'See what used the memory before it ran out, and what limits the process or its container has.',
  kernel: 'See what the kernel says just before, and whether it names a device or a driver.',
  power: 'See the supply and its battery, and whether machines went down in order.',
  web_proxy: 'See whether the server behind the proxy answers by itself, and how long it takes.',
  media: 'See whether the library can be reached and whether the machine keeps up with transcoding.',
  gpu: 'See temperature and errors of the card, and whether driver and runtime fit each other.',
}
