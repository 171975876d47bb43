/** What one answer is. */
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
const host: Column = { name: 'host', label: 'Host', help: 'The host it is on, by the name given before.', type: 'text' }

/** What the wizard asks, in its order. A new question stands here, and in `sentences.ts` what follows from its answer. */
export const wizardSteps: readonly Step[] = [
  {
    id: 'hosts',
    title: 'Hosts',
    description: 'Which machines are there? Their names and addresses are what turns up in logs.',
    fields: [
      {
        name: 'hosts',
        label: 'Hosts',
        help: 'Servers, routers, and devices that matter.',
        type: 'rows',
        columns: [
          name('Name', 'As logs call it.'),
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
    description:
      'What runs on them, and what does each need? A failure is often that of something else which it depends on.',
    fields: [
      {
        name: 'services',
        label: 'Services',
        help: 'Programs that others rely on.',
        type: 'rows',
        columns: [
          name('Name', 'As its unit, container or log is called.'),
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
    description: 'How do they reach each other and the world?',
    fields: [
      { name: 'subnets', label: 'Subnets', help: 'Such as 192.168.1.0/24 for the house.', type: 'list' },
      { name: 'router', label: 'Router', help: 'Its name or address.', type: 'text' },
      { name: 'dns', label: 'DNS', help: 'Who answers names, and who filters them.', type: 'text' },
      { name: 'domain', label: 'Domain', help: 'The domain of names at home.', type: 'text' },
      { name: 'provider', label: 'Provider', help: 'How the internet comes in, and how fast.', type: 'text' },
      { name: 'proxy', label: 'Reverse proxy', help: 'What stands before services on the web.', type: 'text' },
      { name: 'vpn', label: 'VPN', help: 'Who comes in from outside, and how.', type: 'text' },
    ],
  },
  {
    id: 'storage',
    title: 'Storage',
    description: 'Where does data lie, and what happens when a disk fails?',
    fields: [
      {
        name: 'storage',
        label: 'Pools, disks and shares',
        help: 'All that would hurt to lose.',
        type: 'rows',
        columns: [
          name('Name', 'Its mount point, pool or share.'),
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
    description: 'What happens by itself? Load and restarts at these times are expected.',
    fields: [
      {
        name: 'schedules',
        label: 'Backups, updates, restarts',
        help: 'Everything that a clock starts.',
        type: 'rows',
        columns: [
          name('Name', 'Such as nightly backup.'),
          { name: 'when', label: 'When', help: 'Such as daily at 03:00.', required: true, type: 'text' },
          host,
          { name: 'target', label: 'Where to', help: 'Of a backup.', type: 'text' },
          notes,
        ],
      },
    ],
  },
  {
    id: 'known_issues',
    title: 'Known issues',
    description: 'What goes wrong now and then, and what helps? A diagnosis need not find it out again.',
    fields: [
      {
        name: 'issues',
        label: 'Known issues',
        help: 'With what it looks like in logs.',
        type: 'rows',
        columns: [
          name('Name', 'A few words.'),
          { name: 'symptom', label: 'Symptom', required: true, type: 'text', max: 1_000 },
          { name: 'remedy', label: 'What helps', type: 'text', max: 1_000 },
        ],
      },
      {
        name: 'harmless',
        label: 'Harmless messages',
        help: 'What looks bad in a log and is not.',
        type: 'list',
      },
    ],
  },
  {
    id: 'contacts',
    title: 'Contacts',
    description: 'Who is to be asked?',
    fields: [
      {
        name: 'contacts',
        label: 'People and support',
        help: 'Who knows what, and how to reach them.',
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
