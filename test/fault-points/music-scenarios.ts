import { tune } from '../support/tune.ts'
import type { FaultyInstallation } from './installation.ts'
import { eventually, isOk, postJson, type Scenario, send, untilAccepted } from './scenario.ts'

type Node = { node_id: string; kind: string; status: string; error: unknown; audio_url: string }
type Chain = { chain_id: string; name: string; root_node_id: string; nodes: Node[] }

const audio = tune({ seconds: 1, sampleRate: 8_000 }) as Uint8Array<ArrayBuffer>

const create = ({ origin }: FaultyInstallation, name: string) => {
  const form = new FormData()
  form.append('name', name)
  form.append('file', new Blob([audio]), 'tune.wav')
  return send(`${origin}/music/api/chains`, { method: 'POST', body: form })
}

const chainOf = async ({ origin }: FaultyInstallation, id: string): Promise<Chain> => {
  const { status, json } = await send(`${origin}/music/api/chains/${id}`)
  if (status !== 200) throw new Error(`Chain ${id} is answered ${status} ${JSON.stringify(json)}`)
  return json as Chain
}

const chainsNamed = async ({ origin }: FaultyInstallation, name: string): Promise<string[]> => {
  const { status, json } = await send(`${origin}/music/api/chains?limit=50`)
  if (status !== 200) throw new Error(`The list of chains is answered ${status}`)
  return (json.chains as Chain[]).filter((chain) => chain.name === name).map(({ chain_id }) => chain_id)
}

/** Violations for a chain: its nodes must be ready with readable audio, or have failed with a reason. */
const faultsOf = async (installation: FaultyInstallation, id: string): Promise<string[]> => {
  const { nodes } = await chainOf(installation, id)
  const wrong: string[] = []
  for (const { node_id, status, error, audio_url } of nodes) {
    if (status === 'error' && error !== null) continue
    if (status !== 'ready') wrong.push(`node ${node_id} is ${status}`)
    else {
      const answer = await send(`${installation.origin}${audio_url}`)
      if (answer.status !== 200 || answer.body.length < 1_000)
        wrong.push(`the audio of ${node_id} is answered ${answer.status}`)
    }
  }
  return wrong
}

type Named = { name: string; id?: string }

const created = async (installation: FaultyInstallation, name: string): Promise<Required<Named>> => {
  const wrong = await untilAccepted('a chain', () => create(installation, name))
  const [id] = await chainsNamed(installation, name)
  if (wrong.length > 0 || id === undefined) throw new Error(`The chain could not be created: ${wrong.join()}`)
  return { name, id }
}

const removeAll = async (installation: FaultyInstallation, name: string): Promise<string[]> => {
  const wrong: string[] = []
  for (const id of await chainsNamed(installation, name)) {
    wrong.push(
      ...(await untilAccepted(
        'deleting a chain',
        () => send(`${installation.origin}/music/api/chains/${id}`, { method: 'DELETE' }),
        (answer) => isOk(answer) || answer.status === 404,
      )),
    )
  }
  return wrong
}

/** An upload of a chain: an acknowledged chain is complete; otherwise it is complete or absent. */
export const upload: Scenario<Named> = {
  name: 'upload',
  prepare: async (_installation, key) => ({ name: `upload ${key}` }),
  operate: async (installation, { name }) => (await create(installation, name)).status === 201,
  check: async (installation, { name }, acknowledged) => [
    ...(await eventually(async () => {
      const ids = await chainsNamed(installation, name)
      const wrong = (await Promise.all(ids.map((id) => faultsOf(installation, id)))).flat()
      return acknowledged && ids.length === 0 ? ['an acknowledged chain is gone'] : wrong
    })),
    ...(await untilAccepted('the upload, repeated', () => create(installation, name))),
    ...(await removeAll(installation, name)),
  ],
}

/** A continuation: an accepted one becomes ready or fails with a reason. */
export const generation: Scenario<Required<Named>> = {
  name: 'generation',
  prepare: (installation, key) => created(installation, `generation ${key}`),
  operate: async (installation, { id }) => {
    const { root_node_id: root } = await chainOf(installation, id)
    const path = `${installation.origin}/music/api/chains/${id}/nodes/${root}/branches`
    const isAccepted = isOk(await postJson(path, { duration_seconds: 1, generator: 'mock', seed: 7 }))
    if (isAccepted) await eventually(() => faultsOf(installation, id))
    return isAccepted
  },
  check: async (installation, { id, name }, acknowledged) => [
    ...(await eventually(() => faultsOf(installation, id))),
    ...(acknowledged && (await chainOf(installation, id)).nodes.length < 2 ? ['an accepted continuation is gone'] : []),
    ...(await eventually(async () => {
      const failed = (await chainOf(installation, id)).nodes.filter(({ status }) => status === 'error')
      const path = `${installation.origin}/music/api/chains/${id}/nodes`
      for (const { node_id } of failed) await send(`${path}/${node_id}/retry`, { method: 'POST' })
      const nodes = (await chainOf(installation, id)).nodes
      return nodes.every(({ status }) => status === 'ready')
        ? []
        : ['a continuation that is retried never becomes ready']
    })),
    ...(await removeAll(installation, name)),
  ],
}

const exported = ({ origin }: FaultyInstallation, id: string) =>
  postJson(`${origin}/music/api/chains/${id}/export`, { format: 'wav', crossfade_ms: 0 })

/** An export: complete or refused, and repeated exports yield the same bytes. */
export const exporting: Scenario<Required<Named> & { delivered?: Buffer }> = {
  name: 'export',
  prepare: (installation, key) => created(installation, `export ${key}`),
  operate: async (installation, state) => {
    const answer = await exported(installation, state.id)
    if (answer.status === 200) state.delivered = answer.body
    return answer.status === 200
  },
  check: async (installation, { id, name, delivered }) => {
    let again: Buffer = Buffer.alloc(0)
    const wrong = await untilAccepted('the export, repeated', async () => {
      const answer = await exported(installation, id)
      again = answer.body
      return answer
    })
    if (delivered && !delivered.equals(again)) wrong.push('an export that was delivered differs from the next one')
    return [...wrong, ...(await removeAll(installation, name))]
  },
}
