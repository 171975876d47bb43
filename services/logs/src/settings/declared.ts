import {
  address,
  certificate,
  deviceNames,
  headerSecret,
  type SettingKind,
  secret,
  sourceList,
  text,
  word,
} from './kinds.ts'

/** All settings by their names in the API. A new one is added here and to `settings.proto`. */
export const declaredSettings = {
  llm_base_url: address(),
  llm_model: text(),
  llm_api_key: headerSecret('llm_base_url'),
  tech_level: word('sysadmin', 'homelab', 'executive'),
  dns_filter_url: address(),
  dns_filter_version: word('6', '5', 'adguard'),
  dns_filter_api_key: secret('dns_filter_url'),
  dns_filter_certificate: certificate,
  router_source_ids: sourceList,
  device_names: deviceNames,
  media_monitor_token: headerSecret(),
  notion_url: address('https://api.notion.com'),
  notion_token: headerSecret('notion_url'),
  notion_database_id: text(),
  jira_url: address(),
  jira_email: text(),
  jira_token: headerSecret('jira_url'),
  jira_project: text(),
  jira_issue_type: text('Bug'),
} as const

type ValueOf<Kind> = Kind extends SettingKind<infer Value> ? Value : never

export type SettingName = keyof typeof declaredSettings

/** The effective values. Secrets are readable; reading one that was encrypted with an unknown key throws `unavailable`. */
export type SettingsValues = { readonly [Name in SettingName]: ValueOf<(typeof declaredSettings)[Name]> }

export const settingNames = Object.keys(declaredSettings) as SettingName[]

export const kindOf = (name: SettingName): SettingKind<SettingsValues[SettingName]> => declaredSettings[name]

/** Whether a name is that of a setting. */
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(declaredSettings, name)

/** The setting with the address of the server that a secret is for. */
export const addressOf = (name: SettingName): SettingName | undefined => {
  const { sentTo } = kindOf(name)
  return sentTo !== undefined && isSettingName(sentTo) ? sentTo : undefined
}
