import { serviceError } from '@trellis/kit/errors'
import type { SettingsValues } from '../settings/declared.ts'
import { askTracker, expectSuccess, isObject, listIn, type TrackerRequest } from './ask-tracker.ts'
import { idFact } from './ticket-content.ts'
import type { TicketContent, Tracker, TrackerContext } from './tracker.ts'

const title = 'Jira'
const maxSummary = 255
const maxFound = 20
/** A description may have 32,767 characters; markup takes some of them. */
const maxDescription = 30_000

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
  const shownNotes = notes.slice(0, maxDescription / 3)
  let room = maxDescription - text.length - shownNotes.length
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

const baseOf = ({ settings }: TrackerContext): string => settings.jira_url.replace(/\/+$/, '')

const ticketOf = (context: TrackerContext, key: string) => ({
  ticketId: key,
  url: `${baseOf(context)}/browse/${encodeURIComponent(key)}`,
})

const ask = (context: TrackerContext, request: Pick<TrackerRequest, 'method' | 'body'> & { path: string }) => {
  const { jira_email, jira_token } = context.settings
  const cloud = isCloud(context.settings)
  const basic = Buffer.from(`${jira_email}:${jira_token}`).toString('base64')
  return askTracker(
    {
      title,
      wordsOf,
      method: request.method,
      url: `${baseOf(context)}/rest/api/${cloud ? '3' : '2'}/${request.path}`,
      headers: { authorization: cloud ? `Basic ${basic}` : `Bearer ${jira_token}` },
      ...(request.body !== undefined && { body: request.body }),
    },
    context,
  )
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
    const { jira_project, jira_issue_type } = context.settings
    const answer = await ask(context, {
      method: 'POST',
      path: 'issue',
      body: {
        fields: {
          project: { key: jira_project },
          issuetype: { name: jira_issue_type },
          summary: content.title.replaceAll(/\s+/g, ' ').slice(0, maxSummary),
          description: isCloud(context.settings) ? jiraDocument(content) : jiraText(content),
        },
      },
    })
    const { key } = expectSuccess(title, answer)
    if (typeof key !== 'string') throw serviceError('upstream_failed', 'Jira made an issue and did not say which.')
    return ticketOf(context, key)
  },
  find: async ({ incidentId }, context) => {
    // The incident is in no other ticket, so when it was made does not matter.
    const jql = `project = "${context.settings.jira_project.replaceAll(/["\\]/g, '\\$&')}" AND description ~ "\\"${idFact(incidentId)}\\"" ORDER BY created DESC`
    const query = new URLSearchParams({ jql, fields: 'summary', maxResults: String(maxFound) })
    const path = `${isCloud(context.settings) ? 'search/jql' : 'search'}?${query}`
    return listIn(title, await ask(context, { method: 'GET', path }), 'issues').flatMap(({ key }) =>
      typeof key === 'string' ? [ticketOf(context, key)] : [],
    )
  },
}
