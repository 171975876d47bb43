import { readFile } from 'node:fs/promises'
import { pushLines } from '../support/log-lines.ts'
import type { Machine } from './machine.ts'
import { adminKey } from './open-view.ts'
import { shopLines } from './shop-lines.ts'

/** Ids of what was made, for the addresses of pages. */
export type Seeded = { incident: string; template: string; listings: readonly string[]; chain: string }

type Json = Record<string, unknown>

const send = async <Answer>(
  origin: string,
  method: string,
  path: string,
  body?: Json | FormData,
  headers = {},
): Promise<Answer> => {
  const isForm = body instanceof FormData
  const response = await fetch(`${origin}${path}`, {
    method,
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    headers: { ...(body && !isForm && { 'content-type': 'application/json' }), ...headers },
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${await response.text()}`)
  return (response.status === 204 ? undefined : await response.json()) as Answer
}

const pollMilliseconds = 500
const maxPolls = 240

/** Polls until the answer is there; a screenshot of what is not yet there would mislead. */
const until = async <Answer>(what: string, read: () => Promise<Answer | undefined>): Promise<Answer> => {
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const answer = await read()
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds))
  }
  throw new Error(`${what} did not happen within ${(maxPolls * pollMilliseconds) / 1_000} s.`)
}

const seedLogs = async (origin: string): Promise<string> => {
  const now = Date.now()
  const bySource = Map.groupBy(shopLines(now), ({ source }) => source)
  for (const [source, lines] of bySource)
    await pushLines(
      origin,
      source,
      lines.map(({ text }) => text),
    )
  const { id } = await send<{ id: string }>(origin, 'POST', '/logs/api/incidents', {
    label: 'Checkout refused: database out of connections',
    started_at: new Date(now - 24 * 60_000).toISOString(),
    ended_at: new Date(now - 17 * 60_000).toISOString(),
    query: 'refused',
    severity: 'CRITICAL',
    issue_type: 'database',
  })
  await send(origin, 'POST', '/logs/api/incidents', {
    label: 'Slow queries on orders',
    started_at: new Date(now - 50 * 60_000).toISOString(),
    query: 'slow query',
    severity: 'WARN',
  })
  await send(origin, 'POST', '/logs/api/context/facts', {
    category: 'services',
    key: 'database',
    value: 'Postgres 17 on 10.0.4.12, 100 connections, shared by shop and reports',
  })
  return id
}

/** Names that devices of the shop's network look up, some of which are trackers. */
const seedBlocklist = async (origin: string): Promise<void> => {
  const now = Date.now()
  const names = ['telemetry.tv.example.com', 'ads.example.net', 'shop.example.com', 'metrics.home.example.org']
  const lines = Array.from({ length: 160 }, (_, index) => {
    const time = new Date(now - index * 20_000).toISOString()
    return `${time} dnsmasq[811]: query[A] ${names[index % names.length]} from 192.168.1.${20 + (index % 3)}`
  })
  await pushLines(origin, 'syslog:router:dnsmasq', lines)
  await send(origin, 'POST', '/logs/api/blocklist/scan', {})
}

const seedExchange = async (origin: string, incident: string): Promise<void> => {
  const bundle = await send<Json>(origin, 'GET', `/logs/api/incidents/${incident}/bundle?sanitize=true`)
  await send(origin, 'POST', '/logs/api/bundles', bundle)
  await send(origin, 'POST', '/logs/api/context/docs', {
    title: 'When the database refuses connections',
    text: '# First\n\nLook at the reports: they hold connections open at the full hour.\n\n# Then\n\nRestart the pool of the shop.',
    tags: ['database', 'runbook'],
  })
}

/** What only the machine of the screens has: a key for other machines, and branches. */
const seedMachine = async (origin: string, { sshKey }: Pick<Machine, 'sshKey'>): Promise<void> => {
  const target = { label: 'Backup server', host: 'backup.shop.example', port: 22, user: 'logs', key_path: sshKey }
  await send(origin, 'POST', '/logs/api/ssh-targets', target)
  for (const label of ['Workshop in Graz', 'Warehouse'])
    await send(origin, 'POST', '/logs/api/orchard/graft', { label }, { 'x-admin-key': adminKey })
}

type Found = { listings: { platform_listing_id: string; seller_platform_id: string }[] }

const seedListings = async (origin: string): Promise<string[]> => {
  await send(origin, 'GET', '/listings/api/session')
  const saved = await send<{ id: number }>(origin, 'POST', '/listings/api/saved-searches', {
    name: 'Canon camera, trusted',
    query: 'canon camera',
    filters_json: '{"max_price":1500}',
  })
  await send(origin, 'PATCH', `/listings/api/saved-searches/${saved.id}/monitor`, {
    monitor_enabled: true,
    poll_interval_min: 60,
    min_trust_score: 80,
  })
  await send(origin, 'POST', '/listings/api/saved-searches', { name: 'ThinkPad', query: 'thinkpad t14' })
  const { listings } = await send<Found>(origin, 'GET', '/listings/api/search?q=canon%20camera')
  const reasons = ['Sent a different lens than shown', 'Never sent', '']
  for (const [index, listing] of listings.slice(-3).entries())
    await send(origin, 'POST', '/listings/api/blocklist', {
      platform_seller_id: listing.seller_platform_id,
      username: listing.seller_platform_id,
      reason: reasons[index] ?? '',
    })
  await until('An alert', async () => {
    const { unread_count: count } = await send<{ unread_count: number }>(origin, 'GET', '/listings/api/alerts')
    return count > 0 ? count : undefined
  })
  return listings.slice(0, 3).map(({ platform_listing_id: id }) => id)
}

type Node = { node_id: string; status: string }
type Chain = { chain_id: string; nodes: Node[] }

const seedMusic = async (origin: string): Promise<string> => {
  const form = new FormData()
  form.append(
    'file',
    new Blob([await readFile(new URL('../../../../docs/examples/tune.ogg', import.meta.url))]),
    'tune.ogg',
  )
  form.append('name', 'Garden tune')
  const chain = await send<Chain>(origin, 'POST', '/music/api/chains', form)
  const path = `/music/api/chains/${chain.chain_id}`
  const branch = async (from: string, body: Json): Promise<string[]> => {
    const { nodes } = await send<{ nodes: Node[] }>(origin, 'POST', `${path}/nodes/${from}/branches`, body)
    const ids = nodes.map(({ node_id: id }) => id)
    await until('The takes', async () => {
      const { nodes: all } = await send<Chain>(origin, 'GET', path)
      const made = all.filter(({ node_id: id }) => ids.includes(id))
      const failed = made.find(({ status }) => status === 'error')
      if (failed) throw new Error(`A take failed: ${JSON.stringify(failed)}`)
      return made.every(({ status }) => status === 'ready') ? made : undefined
    })
    return ids
  }
  const decide = (id: string | undefined, decision: string) => send(origin, 'POST', `${path}/nodes/${id}/${decision}`)
  const [root] = chain.nodes
  const [first, second] = await branch(root?.node_id ?? '', { duration_seconds: 8, takes: 3, prompt: 'more drums' })
  await decide(first, 'commit')
  await decide(second, 'discard')
  const [third] = await branch(first ?? '', { duration_seconds: 8, takes: 2, prompt: '' })
  await decide(third, 'commit')
  return chain.chain_id
}

/** Fills an installation with what its pages are about; with a machine, also with what needs its keys. */
export const seed = async (origin: string, machine?: Pick<Machine, 'sshKey'>): Promise<Seeded> => {
  const incident = await seedLogs(origin)
  await seedBlocklist(origin)
  await seedExchange(origin, incident)
  if (machine) await seedMachine(origin, machine)
  const { templates } = await send<{ templates: { template_id: string }[] }>(
    origin,
    'GET',
    '/logs/api/templates?q=refused&limit=1',
  )
  const listings = await seedListings(origin)
  return { incident, template: templates[0]?.template_id ?? '', listings, chain: await seedMusic(origin) }
}
