import { serviceError } from '@trellis/kit/errors'
import { expectSuccess, isObject, listIn, sendToTracker, type TrackerRequest } from './send-to-tracker.ts'
import { idFact } from './ticket-content.ts'
import type { CreatedTicket, TicketContent, Tracker, TrackerContext } from './tracker.ts'

const title = 'Notion'
/** The supported versions of the API. Since 2025-09-03 a database has data sources, and pages are created in one of those. */
const newest = '2025-09-03'
const older = '2022-06-28'
/** Characters of one text (https://developers.notion.com/reference/request-limits). */
const maxText = 2_000
/** Blocks of one request. */
const maxBlocks = 100
/** Maximum number of pages that are searched for an earlier ticket. */
const maxFound = 20
/** Tolerance for clock differences; Notion's timestamps have a resolution of minutes. */
const clockMilliseconds = 5 * 60_000

/** `{object: "error", status, code, message}`. */
const messageOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body.message === 'string' ? body.message : undefined

const send = (
  context: TrackerContext,
  version: string,
  request: Pick<TrackerRequest, 'method' | 'body'> & { path: string },
) =>
  sendToTracker(
    {
      title,
      messageOf,
      method: request.method,
      url: `${context.settings.notion_url.replace(/\/+$/, '')}/v1/${request.path}`,
      headers: { authorization: `Bearer ${context.settings.notion_token}`, 'notion-version': version },
      ...(request.body !== undefined && { body: request.body }),
    },
    context,
  )

const richText = (content: string) => [{ type: 'text', text: { content: content.slice(0, maxText) } }]
const paragraph = (content: string) => ({
  object: 'block',
  type: 'paragraph',
  paragraph: { rich_text: richText(content) },
})
const heading = (content: string) => ({
  object: 'block',
  type: 'heading_2',
  heading_2: { rich_text: richText(content) },
})
const code = (content: string) => ({
  object: 'block',
  type: 'code',
  code: { rich_text: richText(content), language: 'plain text' },
})

const pieces = (text: string): string[] => text.match(/[\s\S]{1,1990}/g) ?? []

/** The blocks of one request; a test checks the largest incident against the limits. */
export const notionBlocks = ({ facts, notes, entries, omitted }: TicketContent) =>
  [
    ...facts.map(paragraph),
    ...(notes === '' ? [] : [heading('Notes'), ...pieces(notes).map(paragraph)]),
    ...(entries.length === 0 ? [] : [heading('Log entries'), ...entries.map(code)]),
    ...(omitted === 0 ? [] : [paragraph(`${omitted} more entries belong to this incident.`)]),
  ].slice(0, maxBlocks)

/** The id of the title property of every database; the API accepts it in place of a name. */
const titleId = 'title'
/** The name of the title property: every database has one, under a name of its own. Its id where the description shows none. */
const titleProperty = (described: Record<string, unknown>): string => {
  const properties = isObject(described.properties) ? Object.entries(described.properties) : []
  return properties.find(([, property]) => isObject(property) && property.type === 'title')?.[0] ?? titleId
}

type Target = { version: string; parent: Record<string, string>; property: string }

/** The parent of a new page: the first data source of the database, or with an older API version the database itself. */
const findTarget = async (context: TrackerContext): Promise<Target> => {
  const id = encodeURIComponent(context.settings.notion_database_id)
  const first = await send(context, newest, { method: 'GET', path: `databases/${id}` })
  const isOld = first.status === 400 && /version/i.test(first.message)
  const database = expectSuccess(
    title,
    isOld ? await send(context, older, { method: 'GET', path: `databases/${id}` }) : first,
  )
  const [source] = Array.isArray(database.data_sources) ? database.data_sources : []
  if (!isObject(source) || typeof source.id !== 'string')
    return {
      version: isOld ? older : newest,
      parent: { database_id: context.settings.notion_database_id },
      property: titleProperty(database),
    }
  const described = expectSuccess(
    title,
    await send(context, newest, { method: 'GET', path: `data_sources/${encodeURIComponent(source.id)}` }),
  )
  return {
    version: newest,
    parent: { type: 'data_source_id', data_source_id: source.id },
    property: titleProperty(described),
  }
}

const ticketsIn = (pages: readonly Record<string, unknown>[]): CreatedTicket[] =>
  pages.flatMap(({ id, url }) =>
    typeof id === 'string' ? [{ ticketId: id, url: typeof url === 'string' ? url : '' }] : [],
  )

/** The text of a paragraph. */
const textOf = ({ paragraph: content }: Record<string, unknown>): string =>
  isObject(content) && Array.isArray(content.rich_text)
    ? content.rich_text.map((part) => (isObject(part) ? String(part.plain_text ?? '') : '')).join('')
    : ''

/** Pages in a database of Notion (https://developers.notion.com/reference/post-page). */
export const notion: Tracker = {
  name: 'notion',
  title,
  missing: ({ notion_url, notion_token, notion_database_id }) => [
    ...(notion_url === '' ? ['notion_url'] : []),
    ...(notion_token === '' ? ['notion_token'] : []),
    ...(notion_database_id === '' ? ['notion_database_id'] : []),
  ],
  secrets: ({ notion_token }) => [notion_token],
  create: async (content, context) => {
    const { version, parent, property } = await findTarget(context)
    const page = expectSuccess(
      title,
      await send(context, version, {
        method: 'POST',
        path: 'pages',
        body: {
          parent,
          properties: { [property]: { title: richText(content.title) } },
          children: notionBlocks(content),
        },
      }),
    )
    const [ticket] = ticketsIn([page])
    if (!ticket) throw serviceError('upstream_failed', 'Notion created a page without returning its id.')
    return ticket
  },
  find: async ({ incidentId, since }, context) => {
    const { version, parent } = await findTarget(context)
    const parentPath =
      parent.data_source_id === undefined ? `databases/${parent.database_id}` : `data_sources/${parent.data_source_id}`
    const pages = await send(context, version, {
      method: 'POST',
      path: `${parentPath}/query`,
      body: {
        filter: {
          timestamp: 'created_time',
          created_time: { on_or_after: new Date(since - clockMilliseconds).toISOString() },
        },
        sorts: [{ timestamp: 'created_time', direction: 'descending' }],
        page_size: maxFound,
      },
    })
    const tickets: CreatedTicket[] = []
    for (const ticket of ticketsIn(listIn(title, pages, 'results'))) {
      const path = `blocks/${encodeURIComponent(ticket.ticketId)}/children?page_size=${maxBlocks}`
      const blocks = listIn(title, await send(context, version, { method: 'GET', path }), 'results')
      if (blocks.some((block) => textOf(block) === idFact(incidentId))) tickets.push(ticket)
    }
    return tickets
  },
}
