import type { SettingsRest } from '@trellis/protos/edge/client.ts'

type TextName = Exclude<keyof SettingsRest, 'router_source_ids'>

export type SettingField = { label: string; hint?: string } & (
  | { kind: 'text' | 'long' | 'secret'; name: TextName }
  | { kind: 'choice'; name: TextName; options: readonly (readonly [string, string])[] }
  | { kind: 'list'; name: 'router_source_ids' }
)

export type SettingGroup = { title: string; lead: string; fields: readonly SettingField[]; test?: 'filter' | 'monitor' }

/** The settings as the page shows them. */
export const groups: readonly SettingGroup[] = [
  {
    title: 'Language model',
    lead: 'Writes summaries and understands descriptions. Without one, rules do.',
    fields: [
      {
        kind: 'text',
        name: 'llm_base_url',
        label: 'Address',
        hint: 'Of an OpenAI-style server, before /chat/completions',
      },
      { kind: 'text', name: 'llm_model', label: 'Model' },
      { kind: 'secret', name: 'llm_api_key', label: 'Model key' },
      {
        kind: 'choice',
        name: 'tech_level',
        label: 'Summaries are for',
        options: [
          ['sysadmin', 'System administrators'],
          ['homelab', 'People who run a home lab'],
          ['executive', 'People who decide'],
        ],
      },
    ],
  },
  {
    title: 'DNS filter',
    lead: 'Pi-hole or AdGuard Home, where approved domains are blocked.',
    test: 'filter',
    fields: [
      { kind: 'text', name: 'dns_filter_url', label: 'Filter address', hint: 'http://pi.hole' },
      {
        kind: 'choice',
        name: 'dns_filter_version',
        label: 'Kind',
        options: [
          ['6', 'Pi-hole 6'],
          ['5', 'Pi-hole 5'],
          ['adguard', 'AdGuard Home'],
        ],
      },
      {
        kind: 'secret',
        name: 'dns_filter_api_key',
        label: 'Filter key',
        hint: 'Pi-hole 6: an application password. AdGuard Home: user:password',
      },
      {
        kind: 'text',
        name: 'dns_filter_certificate',
        label: 'Certificate',
        hint: 'Empty for a public authority, its SHA-256 fingerprint, or any',
      },
      { kind: 'list', name: 'router_source_ids', label: 'Sources to scan', hint: 'Separated by commas; empty for all' },
      { kind: 'long', name: 'device_names', label: 'Device names', hint: 'JSON: {"192.168.1.20": "television"}' },
    ],
  },
  {
    title: 'Media monitor',
    lead: 'Entries from a media server’s notifier.',
    test: 'monitor',
    fields: [{ kind: 'secret', name: 'media_monitor_token', label: 'Notifier token' }],
  },
  {
    title: 'Notion',
    lead: 'Where tickets of incidents are created.',
    fields: [
      { kind: 'text', name: 'notion_url', label: 'Notion address' },
      { kind: 'secret', name: 'notion_token', label: 'Notion token' },
      { kind: 'text', name: 'notion_database_id', label: 'Database id' },
    ],
  },
  {
    title: 'Jira',
    lead: 'Where tickets of incidents are created.',
    fields: [
      { kind: 'text', name: 'jira_url', label: 'Jira address' },
      { kind: 'text', name: 'jira_email', label: 'Email', hint: 'Empty for Jira Server and Data Center' },
      { kind: 'secret', name: 'jira_token', label: 'Jira token' },
      { kind: 'text', name: 'jira_project', label: 'Project' },
      { kind: 'text', name: 'jira_issue_type', label: 'Type of its issues' },
    ],
  },
]

/** What the page calls each setting. */
export const labels: Readonly<Record<string, string>> = Object.fromEntries(
  groups.flatMap(({ fields }) => fields.map(({ name, label }) => [name, label])),
)

/** The settings that differ from what was read: only these are written. */
export const changesOf = (read: SettingsRest | undefined, draft: SettingsRest | undefined): Partial<SettingsRest> => {
  if (!read || !draft) return {}
  const changed = Object.entries(draft).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(read[name as keyof SettingsRest]),
  )
  return Object.fromEntries(changed)
}
