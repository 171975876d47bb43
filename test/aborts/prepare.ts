import { adminKey } from '../conformance/send.ts'
import { tune } from '../support/tune.ts'
import type { Fixtures } from './requests.ts'

type Json = Record<string, unknown>

const answerOf = async (response: Response): Promise<Json> => {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Json
}

const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Json> =>
  answerOf(
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )

const postFile = async (url: string, name: string, content: Uint8Array): Promise<Json> => {
  const form = new FormData()
  form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name)
  return answerOf(await fetch(url, { method: 'POST', body: form }))
}

/** Makes one thing of each kind that routes are about: a chain, a task, an incident, a branch. */
export const prepare = async (origin: string): Promise<Fixtures> => {
  const logs = `${origin}/logs/api`
  const batch = { source_id: 'app', entries: [{ text: 'first', severity: 'ERROR' }] }
  await post(`${logs}/glean/batch`, batch)
  const lines = Buffer.from('2026-03-01T09:15:02Z host app[7]: error one\n'.repeat(2_000))
  const task = await postFile(`${logs}/ingest/upload?wait=true`, 'app.log', lines)
  const incident = await post(`${logs}/incidents`, { label: 'one' })
  const branch = await post(`${logs}/orchard/graft`, { label: 'barn' }, { 'x-admin-key': adminKey })
  const chain = await postFile(`${origin}/music/api/chains`, 'tune.wav', tune({ seconds: 6 }))
  const [root] = chain.nodes as Json[]
  return {
    headers: { 'x-admin-key': adminKey },
    branchKey: String(branch.api_key),
    values: {
      task_id: String(task.task_id ?? task.id),
      id: String(incident.id),
      chain_id: String(chain.chain_id),
      node_id: String(root?.node_id),
      '/logs/branches/{slug}/api/glean/batch slug': 'barn',
    },
  }
}
