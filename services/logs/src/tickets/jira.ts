import { failure } from '@trellis/kit/errors'
import type { SettingsValues } from '../settings/declared.ts'
import { askTracker, expectSuccess, isObject } from './ask-tracker.ts'
import type { TicketContent, Tracker } from './tracker.ts'

const title = 'Jira'
const mostSummary = 255
/** A description may have 32,767 characters; markup takes some of them. */
const mostDescription = 30_000

/** Jira Cloud knows people by e-mail and an API token; a server of one's own by a personal access token alone. */
const isCloud = ({ jira_url, jira_email }: SettingsValues): boolean =>
  jira_email !== '' || /\.(?:atlassian\.net|jira\.com)$/i.test(URL.parse(jira_url)?.hostname ?? '')

/** `{errorMessages: [...], errors: {field: message}}`. */
const wordsOf = (body: unknown): string | undefined => {
  if (!isObject(body)) return undefined
  const messages = Array.isArray(body.errorMessages) ? body.errorMessages.map(String) : []
  const fields = isObject(body.errors) ? Object.entries(body.errors).map(([field, text]) => `${field}: ${text}`) : []
  const words = [...messages, ...fields]
  if (words.length > 0) return words.join(' ')
  return typeof body.message === 'string' ? body.message : undefined
}

/** The entries that a description has room for, and how many have none. */
const fit = ({ facts, notes, entries, omitted }: TicketContent) => {
  const text = facts.join('\n')
  const shownNotes = notes.slice(0, mostDescription / 3)
  let room = mostDescription - text.length - shownNotes.length
  const shown = entries.filter((entry) => {
    room -= entry.length + 30
    return room >= 0
  })
  return { notes: shownNotes, entries: shown, omitted: omitted + entries.length - shown.length }
}

const more = (omitted: number): string[] => (omitted === 0 ? [] : [`${omitted} more entries belong to this incident.`])

/** For Jira Server and Data Center, API version 2. What would end the block of text is taken apart. */
export const jiraText = (content: TicketContent): string => {
  const { notes, entries, omitted } = fit(content)
  const block = (text: string) => `{noformat}\n${text.replaceAll('{noformat}', '{ noformat }')}\n{noformat}`
  return [content.facts.join('\n'), ...(notes === '' ? [] : [notes]), ...entries.map(block), ...more(omitted)].join(
    '\n\n',
  )
}

const textNode = (text: string) => ({ type: 'text', text })
const paragraph = (text: string) => ({ type: 'paragraph', content: text === '' ? [] : [textNode(text)] })
const codeBlock = (text: string) => ({ type: 'codeBlock', content: text === '' ? [] : [textNode(text)] })

/** For Jira Cloud, API version 3: the Atlassian Document Format (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/). */
export const jiraDocument = (content: TicketContent) => {
  const { notes, entries, omitted } = fit(content)
  return {
    type: 'doc',
    version: 1,
    content: [
      ...content.facts.map(paragraph),
      ...(notes === '' ? [] : notes.split(/\n+/).map(paragraph)),
      ...entries.map(codeBlock),
      ...more(omitted).map(paragraph),
    ],
  }
}

/** Issues of Jira: Cloud (version 3, Basic) where there is an e-mail address, else Server and Data Center (version 2, Bearer). */
export const jira: Tracker = {
  name: 'jira',
  title,
  missing: (settings) => {
    const needed = ['jira_url', 'jira_token', 'jira_project'] as const
    const missing: string[] = needed.filter((name) => settings[name] === '')
    return isCloud(settings) && settings.jira_email === '' ? [...missing, 'jira_email'] : missing
  },
  secrets: ({ jira_token, jira_email }) => [jira_token, Buffer.from(`${jira_email}:${jira_token}`).toString('base64')],
  create: async (content, context) => {
    const { jira_url, jira_email, jira_token, jira_project, jira_issue_type } = context.settings
    const base = jira_url.replace(/\/+$/, '')
    const cloud = isCloud(context.settings)
    const basic = Buffer.from(`${jira_email}:${jira_token}`).toString('base64')
    const answer = await askTracker(
      {
        title,
        wordsOf,
        method: 'POST',
        url: `${base}/rest/api/${cloud ? '3' : '2'}/issue`,
        headers: { authorization: cloud ? `Basic ${basic}` : `Bearer ${jira_token}` },
        body: {
          fields: {
            project: { key: jira_project },
            issuetype: { name: jira_issue_type },
            summary: content.title.replaceAll(/\s+/g, ' ').slice(0, mostSummary),
            description: cloud ? jiraDocument(content) : jiraText(content),
          },
        },
      },
      context,
    )
    const { key } = expectSuccess(title, answer)
    if (typeof key !== 'string') throw failure('upstream_failed', 'Jira made an issue and did not say which.')
    return { ticketId: key, url: `${base}/browse/${encodeURIComponent(key)}` }
  },
}
