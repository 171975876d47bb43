import type { StoredEntry } from '../entries/entry.ts'

/** Patterns that find the name of the machine in a line, best first; each with a sample line. */
export const nodePatterns: readonly { name: string; pattern: RegExp; sample: string; node: string }[] = [
  {
    name: 'syslog, RFC 5424',
    pattern: /^<\d{1,3}>1 \S{1,64} (?<node>[\w.:-]{2,255}) /,
    sample: '<34>1 2026-03-01T22:14:15.003Z rack7.example.com su - ID47 - hello',
    node: 'rack7.example.com',
  },
  {
    name: 'syslog, RFC 3164',
    pattern:
      /^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})? (?<node>[\w.:-]{2,255}) [^\s:[]{1,64}(?:\[\d+\])?: /,
    sample: 'Mar  1 22:14:15 attic sshd[42]: session closed',
    node: 'attic',
  },
  {
    name: 'syslog with a time of ISO 8601',
    pattern: /^\d{4}-\d\d-\d\dT[\d:.+-]{5,32}Z? (?<node>[\w.-]{2,255}) [^\s:[]{1,64}(?:\[\d+\])?: /,
    sample: '2026-03-01T22:14:15.003+01:00 attic sshd[42]: session closed',
    node: 'attic',
  },
  {
    name: 'logs of large machines: a second, a day and the node',
    pattern: /^(?:\S{1,16} )?\d{9,10} \d{4}\.\d\d\.\d\d (?<node>[\w.:-]{2,255}) /,
    sample: '1117838570 2005.06.03 R00-M0-N0-C:J00-U00 2005-06-03-15.42.50.675872 RAS KERNEL INFO ready',
    node: 'R00-M0-N0-C:J00-U00',
  },
  {
    name: 'JSON',
    pattern: /"(?:host|host_?name|host\.name|node|node_?name|computer)"\s*:\s*"(?<node>[\w.:-]{2,255})"/i,
    sample: '{"level":"info","hostname":"rack7","message":"ready"}',
    node: 'rack7',
  },
  {
    name: 'logfmt',
    pattern: /(?:^|\s)(?:host_?name|node|node_?name)="?(?<node>[\w.:-]{2,255})/i,
    sample: 'level=info node=rack7 msg=ready',
    node: 'rack7',
  },
]

/** Fields of the sender that contain the machine's name, best first. */
const nodeFields = [
  'host',
  'hostname',
  'host_name',
  'host.name',
  'node',
  'node_name',
  'nodeName',
  'k8s.node.name',
  'computer',
]
/** Placeholders that programs write if the name is unknown. */
const noNames: ReadonlySet<string> = new Set(['-', 'null', 'none', 'nil', 'unknown', 'localhost'])
/** Characters examined: the machine's name is at the beginning. */
const lookedAt = 1_024

const nameOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' || noNames.has(value.toLowerCase()) ? undefined : value
  return typeof value === 'object' && value !== null && 'name' in value ? nameOf(value.name) : undefined
}

/** The machine that an entry comes from, as named by its sender or its text; null if neither names it. */
export const nodeOf = ({ sender, text }: Pick<StoredEntry, 'sender' | 'text'>): string | null => {
  for (const field of nodeFields) {
    const name = nameOf(sender?.fields?.[field])
    if (name !== undefined) return name
  }
  const beginning = text.slice(0, lookedAt)
  for (const { pattern } of nodePatterns) {
    const node = nameOf(pattern.exec(beginning)?.groups?.node)
    if (node !== undefined) return node
  }
  return null
}
