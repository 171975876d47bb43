import type { SettingsRest } from '@trellis/protos/edge/client.ts'
import { groups } from '../../settings/groups.ts'

export type Tracker = {
  name: 'notion' | 'jira'
  /** Also the title of its group of settings. */
  title: string
  /** The settings without which it cannot be used; of Jira Cloud, the server also reports a missing e-mail address. */
  needs: readonly (keyof SettingsRest)[]
}

/** The trackers in which tickets of incidents are created. */
export const trackers: readonly Tracker[] = [
  { name: 'notion', title: 'Notion', needs: ['notion_token', 'notion_database_id'] },
  { name: 'jira', title: 'Jira', needs: ['jira_url', 'jira_token', 'jira_project'] },
]

const labelOf = (name: keyof SettingsRest): string =>
  groups.flatMap(({ fields }) => fields).find((field) => field.name === name)?.label ?? name

/** Why a tracker cannot be used, with the settings that are missing as their page calls them; undefined if it can, and before they are known. */
export const cannotUse = ({ title, needs }: Tracker, settings: SettingsRest | undefined): string | undefined => {
  const missing = settings ? needs.filter((name) => settings[name] === '').map(labelOf) : []
  return missing.length === 0 ? undefined : `${title} is not configured: set ${missing.join(', ')} in the settings.`
}
