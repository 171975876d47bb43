import { describe, expect, test } from 'vitest'
import { kindOf, type SettingName } from './declared.ts'

const check = (name: SettingName, value: unknown) => kindOf(name).check(value, name)

describe('the values of a setting', () => {
  test.each<[SettingName, unknown, unknown]>([
    ['jira_url', ' https://jira.example/ ', 'https://jira.example'],
    ['dns_filter_url', '', ''],
    ['notion_url', ' ', 'https://api.notion.com'],
    ['dns_filter_version', 'adguard', 'adguard'],
    ['router_source_ids', ['router', ' router ', ''], ['router']],
    ['device_names', '{"192.168.1.20": "TV"}', '{"192.168.1.20": "TV"}'],
    ['device_names', '', '{}'],
    ['dns_filter_api_key', 'schlüssel', 'schlüssel'],
    ['jira_issue_type', '', 'Bug'],
    ['jira_issue_type', ' Task ', 'Task'],
    ['dns_filter_certificate', 'ab'.repeat(32), Array(32).fill('AB').join(':')],
    ['dns_filter_certificate', 'any', 'any'],
  ])('%s may be %j', (name, input, stored) => {
    expect(check(name, input)).toEqual(stored)
  })

  test.each<[SettingName, unknown, string, string]>([
    ['device_names', '{"a":', 'malformed', 'device_names is not valid JSON'],
    ['device_names', '["a"]', 'invalid', 'a JSON object'],
    ['device_names', '{"a": 1}', 'invalid', 'a name of at most'],
    [
      'device_names',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, '']))),
      'invalid',
      '1000',
    ],
    ['jira_url', 'jira.example', 'invalid', 'http:// or https://'],
    ['jira_url', 'ftp://jira.example', 'invalid', 'http:// or https://'],
    ['jira_url', 'https://me:secret@jira.example', 'invalid', 'user or a password'],
    ['jira_url', 'https://jira.example/?token=x', 'invalid', 'without ?'],
    ['tech_level', 'wizard', 'invalid', 'sysadmin, homelab, executive'],
    ['dns_filter_version', '4', 'invalid', '6, 5, adguard'],
    ['dns_filter_certificate', 'abc', 'invalid', 'fingerprint'],
    ['router_source_ids', Array(201).fill('x'), 'invalid', '200'],
    ['router_source_ids', 'x', 'invalid', 'list'],
    ['jira_token', 'a\r\nb', 'invalid', 'one line'],
    ['llm_api_key', '日本', 'invalid', 'llm_api_key must have printable ASCII characters only'],
    ['notion_token', 'a\tb', 'invalid', 'sent in a header'],
    ['jira_token', 'schlüssel', 'invalid', 'sent in a header'],
    ['media_monitor_token', '“quoted”', 'invalid', 'sent in a header'],
    ['jira_project', 'x'.repeat(2_001), 'invalid', '2000'],
    ['jira_project', 'a\0b', 'invalid', 'NUL'],
    ['jira_project', 7, 'invalid', 'text'],
  ])('%s may not be %j', (name, input, kind, words) => {
    const refused = expect.objectContaining({ kind, message: expect.stringContaining(words) })
    expect(() => check(name, input)).toThrow(refused)
  })
})
