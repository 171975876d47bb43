import { serviceError } from '@trellis/kit/errors'
import type { SettingsValues } from '../settings/declared.ts'
import { expectSuccess, isObject, listIn, sendToTracker, type TrackerRequest } from './send-to-tracker.ts'
import { idFact } from './ticket-content.ts'
import type { TicketContent, Tracker, TrackerContext } from './tracker.ts'

const title = 'Jira'
const maxSummary = 255
const maxFound = 20
/** A description may have 32,767 characters, including markup. */
const maxDescription = 30_000

/** Jira Cloud authenticates by e-mail and API token; Jira Server by a personal access token. */
const isCloud = ({ jira_url, jira_email }: SettingsValues): boolean =>
  jira_email !== '' || /\.(?:atlassian\.net|jira\.com)$/i.test(URL.parse(jira_url)?.hostname ?? '')

/** `{errorMessages: [...], errors: {field: message}}`. */
const messageOf = (body: unknown): string | undefined => {
  if (!isObject(body)) return undefined
  const messages = Array.isArray(body.errorMessages) ? body.errorMessages.map(String) : []
  const fields = isObject(body.errors) ? Object.entries(body.errors).map(([field, text]) => `${field}: ${text}`) : []
  const all = [...messages, ...fields]
  if (all.length > 0) return all.join(' ')
  return typeof body.message === 'string' ? body.message : undefined
}

/** The entries that fit into a description, and the number of those that do not. */
const fit = ({ facts, notes, entries, omitted }: TicketContent) => {
  const text = facts.join('\n')
  const shownNotes = notes.slice(0, maxDescription / 3)
  let remaining = maxDescription - text.length - shownNotes.length
  const shown = entries.filter((entry) => {
    remaining -= entry.length + 30
    return remaining >= 0
  })
  return { notes: shownNotes, entries: shown, omitted: omitted + entries.length - shown.length }
}

const more = (omitted: number): string[] => (omitted === 0 ? [] : [`${omitted} more entries belong to this incident.`])

/** For Jira Server and Data Center, API version 2. Markers within a text that would end its block are broken up. */
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

const send = (context: TrackerContext, request: Pick<TrackerRequest, 'method' | 'body'> & { path: string }) => {
  const { jira_email, jira_token } = context.settings
  const cloud = isCloud(context.settings)
  const basic = Buffer.from(`${jira_email}:${jira_token}`).toString('base64')
  return sendToTracker(
    {
      title,
      messageOf,
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
    const response = await send(context, {
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
    const { key } = expectSuccess(title, response)
    if (typeof key !== 'string')
      throw serviceError('upstream_failed', 'Jira created an issue without returning its key.')
    return ticketOf(context, key)
  },
  find: async ({ incidentId }, context) => {
    // No other ticket contains the incident, so the time of creation is irrelevant.
    const jql = `project = "${context.settings.jira_project.replaceAll(/["\\]/g, '\\$&')}" AND description ~ "\\"${idFact(incidentId)}\\"" ORDER BY created DESC`
    const query = new URLSearchParams({ jql, fields: 'summary', maxResults: String(maxFound) })
    const path = `${isCloud(context.settings) ? 'search/jql' : 'search'}?${query}`
    return listIn(title, await send(context, { method: 'GET', path }), 'issues').flatMap(({ key }) =>
      typeof key === 'string' ? [ticketOf(context, key)] : [],
    )
  },
}
