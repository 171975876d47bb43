import type { SettingsRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import { groups } from '../../settings/groups.ts'
import { cannotUse, trackers } from './trackers.ts'

const empty = { notion_token: '', notion_database_id: '', jira_url: '', jira_token: '', jira_project: '' }
const settings = (values: Partial<SettingsRest>) => ({ ...empty, ...values }) as SettingsRest
const [notion, jira] = trackers

test('a tracker without its settings names those that are missing, as their page calls them', () => {
  expect(notion && cannotUse(notion, settings({ notion_token: '***' }))).toBe(
    'Notion is not configured: set Database id in the settings.',
  )
  expect(jira && cannotUse(jira, settings({}))).toBe(
    'Jira is not configured: set Jira address, Jira token, Project in the settings.',
  )
})

test('a tracker that is configured can be used, as can one whose settings are not known yet', () => {
  expect(notion && cannotUse(notion, settings({ notion_token: '***', notion_database_id: 'x' }))).toBe(undefined)
  expect(jira && cannotUse(jira, undefined)).toBe(undefined)
})

test('every setting that a tracker needs has a label in the group of the tracker', () => {
  for (const { title, needs } of trackers) {
    const names = groups.find((group) => group.title === title)?.fields.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...needs]))
  }
})
