/** The type of an answer. */
type Answer =
  | { type: 'text'; max?: number }
  | { type: 'choice'; options: readonly string[] }
  /** Texts. */
  | { type: 'list' }

export type Column = { name: string; label: string; help?: string; required?: boolean } & Answer

export type Field = { name: string; label: string; help: string } & (
  | Answer
  | { type: 'rows'; columns: readonly Column[] }
)

export type Step = { id: string; title: string; description: string; fields: readonly Field[] }

const name = (label: string, help: string): Column => ({
  name: 'name',
  label,
  help,
  required: true,
  type: 'text',
  max: 200,
})
const notes: Column = { name: 'notes', label: 'Notes', type: 'text', max: 1_000 }
const host: Column = { name: 'host', label: 'Host', help: 'The name of the host that it is on.', type: 'text' }

/** The questions of the wizard, in their order. `sentences.ts` turns the answers into facts. */
export const wizardSteps: readonly Step[] = [
  {
    id: 'hosts',
    title: 'Hosts',
    description: 'Which machines do you run? Their names and addresses appear in logs.',
    fields: [
      {
        name: 'hosts',
        label: 'Hosts',
        help: 'Servers, routers and other important devices.',
        type: 'rows',
        columns: [
          name('Name', 'As it appears in logs.'),
          { name: 'addresses', label: 'Addresses', type: 'list' },
          {
            name: 'role',
            label: 'Role',
            type: 'choice',
            options: ['server', 'NAS', 'router', 'virtual machine', 'container host', 'workstation', 'device'],
          },
          { name: 'system', label: 'Operating system', type: 'text' },
          notes,
        ],
      },
    ],
  },
  {
    id: 'services',
    title: 'Services',
    description: 'What runs on them, and what does each depend on? The cause of a failure is often in a dependency.',
    fields: [
      {
        name: 'services',
        label: 'Services',
        help: 'Programs that users or other services rely on.',
        type: 'rows',
        columns: [
          name('Name', 'The name of its unit, container or log.'),
          host,
          { name: 'purpose', label: 'What it does', type: 'text' },
          { name: 'ports', label: 'Ports', type: 'list' },
          { name: 'depends_on', label: 'Depends on', help: 'Services and storage that it needs.', type: 'list' },
          notes,
        ],
      },
    ],
  },
  {
    id: 'network',
    title: 'Network',
    description: 'How are they connected to each other and to the internet?',
    fields: [
      { name: 'subnets', label: 'Subnets', help: 'For example 192.168.1.0/24.', type: 'list' },
      { name: 'router', label: 'Router', help: 'Its name or address.', type: 'text' },
      { name: 'dns', label: 'DNS', help: 'The DNS server and the filter in front of it.', type: 'text' },
      { name: 'domain', label: 'Domain', help: 'The domain of local host names.', type: 'text' },
      { name: 'provider', label: 'Provider', help: 'Type and speed of the internet connection.', type: 'text' },
      { name: 'proxy', label: 'Reverse proxy', help: 'The proxy in front of web services.', type: 'text' },
      { name: 'vpn', label: 'VPN', help: 'Who connects from outside, and how.', type: 'text' },
    ],
  },
  {
    id: 'storage',
    title: 'Storage',
    description: 'Where is data stored, and what happens when a disk fails?',
    fields: [
      {
        name: 'storage',
        label: 'Pools, disks and shares',
        help: 'Storage whose loss would matter.',
        type: 'rows',
        columns: [
          name('Name', 'The mount point, pool or share.'),
          host,
          {
            name: 'kind',
            label: 'Kind',
            type: 'choice',
            options: ['ZFS', 'RAID', 'single disk', 'network share', 'USB disk', 'cloud'],
          },
          { name: 'capacity', label: 'Capacity', type: 'text' },
          { name: 'holds', label: 'What it holds', type: 'text' },
          notes,
        ],
      },
    ],
  },
  {
    id: 'schedules',
    title: 'Schedules',
    description: 'What runs on a schedule? Load and restarts at these times are expected.',
    fields: [
      {
        name: 'schedules',
        label: 'Backups, updates, restarts',
        help: 'Every scheduled task.',
        type: 'rows',
        columns: [
          name('Name', 'For example nightly backup.'),
          { name: 'when', label: 'When', help: 'For example daily at 03:00.', required: true, type: 'text' },
          host,
          { name: 'target', label: 'Where to', help: 'The target of a backup.', type: 'text' },
          notes,
        ],
      },
    ],
  },
  {
    id: 'known_issues',
    title: 'Known issues',
    description: 'Which problems recur, and what fixes them? A diagnosis takes them into account.',
    fields: [
      {
        name: 'issues',
        label: 'Known issues',
        help: 'With how they appear in logs.',
        type: 'rows',
        columns: [
          name('Name', 'A short name.'),
          { name: 'symptom', label: 'Symptom', required: true, type: 'text', max: 1_000 },
          { name: 'remedy', label: 'What helps', type: 'text', max: 1_000 },
        ],
      },
      {
        name: 'harmless',
        label: 'Harmless messages',
        help: 'Messages that look like failures and are not.',
        type: 'list',
      },
    ],
  },
  {
    id: 'contacts',
    title: 'Contacts',
    description: 'Who can help?',
    fields: [
      {
        name: 'contacts',
        label: 'People and support',
        help: 'Their area, and how to reach them.',
        type: 'rows',
        columns: [
          name('Name', 'A person or a company.'),
          { name: 'about', label: 'For what', required: true, type: 'text' },
          { name: 'reach', label: 'How to reach', type: 'text' },
        ],
      },
    ],
  },
]
