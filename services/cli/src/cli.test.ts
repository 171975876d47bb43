import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { asStarted } from '@trellis/test/support/as-started'
import { runCommand } from '@trellis/test/support/command-line'
import { modulePath } from '@trellis/test/support/module-path'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const main = await modulePath('services/cli/src/main.ts')

let trellis: Trellis
beforeAll(async () => {
  trellis = await startTrellis()
})
afterAll(() => trellis?.[Symbol.asyncDispose]())

const call = (words: readonly string[], environment: Record<string, string> = { TRELLIS_URL: trellis.origin }) =>
  runCommand(words, environment)

describe('trellis listings search', () => {
  test('lists what a search finds with its trust, price and address, and the market price', async () => {
    const { code, result, notes } = await call(['listings', 'search', 'thinkpad', '--limit', '3'])
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    const lines = result.trim().split('\n')
    expect(lines[0]).toMatch(/^TRUST +PRICE +TITLE +FLAGS$/)
    expect(lines[1]).toMatch(/^\d+(–\d+)? +\d+\.\d\d(–\d+\.\d\d)? [A-Z]{3} +.*ThinkPad/i)
    expect(lines.filter((line) => /^ +http\S+$/.test(line))).toHaveLength(3)
    expect(lines.at(-1)).toMatch(
      /^\d+ listings, 3 shown\. Market price: \d+\.\d\d USD, the median of completed sales\.$/,
    )
  })

  test('passes its options on, and prints the whole answer as JSON', async () => {
    const words = ['thinkpad', '--max', '400', '--not', 'touch', '--must', '16gb', '--json', '--server', trellis.origin]
    const { code, result } = await call(['listings', 'search', ...words], {})
    const { listings } = JSON.parse(result) as { listings: { title: string; price: number }[] }
    expect([code, listings.length > 0]).toEqual([0, true])
    for (const { title, price } of listings) {
      expect(title.toLowerCase()).toContain('16gb')
      expect(title.toLowerCase()).not.toContain('touch')
      expect(price).toBeLessThanOrEqual(400)
    }
  })

  test('says when nothing was found', async () => {
    expect((await call(['listings', 'search', 'xyzzyx'])).result).toBe('Nothing was found.\n')
  })

  test('starts an installation of its own if none runs, and ends it', async () => {
    // The usual port may be in use on this machine, by something that is not Trellis.
    const { code, result, notes } = await call(['listings', 'search', 'camera', '--json'], {})
    expect(code).toBe(0)
    expect(JSON.parse(result)).toMatchObject({ listings: expect.any(Array), adapter_used: 'scraper' })
    expect(['', 'No Trellis runs on this machine: starting one for this command.\n']).toContain(notes)
  })

  test('ended by a signal, leaves neither its installation nor that directory behind', async () => {
    const own = await mkdtemp(join(tmpdir(), 'cli-'))
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'listings', 'mcp'], {
      env: { PATH: process.env.PATH ?? '', TMPDIR: own, ...asStarted },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const childrenOf = async () => (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim()
    await waitFor(async () => expect([await childrenOf(), await readdir(own)]).not.toEqual(['', []]))
    const [server = ''] = (await childrenOf()).split(' ')
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(await readdir(own)).toEqual([])
    if (server !== '') expect(existsSync(`/proc/${server}`)).toBe(false)
    await rm(own, { recursive: true })
  })

  test.each([
    ['no query', ['listings', 'search'], 2, /What to search for/],
    ['an unknown option', ['listings', 'search', 'x', '--colour', 'red'], 2, /--colour/],
    ['a price that is no number', ['listings', 'search', 'x', '--max', 'ten'], 2, /--max must be a number/],
    ['an address that is none', ['listings', 'search', 'x', '--server', 'here'], 2, /"here" is not the address/],
    ['an unknown command', ['listings', 'fly'], 2, /"listings fly" is not a command[\s\S]*trellis listings search/],
    ['a value that the server refuses', ['listings', 'search', 'x', '--mode', 'some'], 2, /422: .*must_include_mode/],
    ['the API without credentials', ['listings', 'search', 'x', '--adapter', 'api'], 1, /503: /],
    [
      'a server that is away',
      ['listings', 'search', 'x', '--server', 'http://127.0.0.1:9'],
      1,
      /is the server running/,
    ],
  ])('%s is explained', async (_, words, code, sentence) => {
    const called = await call(words)
    expect(called).toMatchObject({ code, result: '', notes: expect.stringMatching(sentence) })
    expect(called.notes).not.toMatch(/ at .*\.ts:\d/)
  })

  test('explains a server that is not Trellis', async () => {
    const server = createServer((_, response) => response.writeHead(500).end('<h1>no</h1>')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const called = await call(['listings', 'search', 'x', '--server', `http://127.0.0.1:${port}`])
    server.close()
    expect(called).toMatchObject({ code: 1, notes: '500: no\n' })
  })

  test('without a command, or with --help, shows how it is used', async () => {
    for (const words of [[], ['--help'], ['listings', 'search', '--help']])
      expect(await call(words)).toMatchObject({ code: 0, result: expect.stringMatching(/^Usage: trellis COMMAND/) })
  })
})

describe('trellis listings mcp', () => {
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1' })
    const args = ['--disable-warning=ExperimentalWarning', main, 'listings', 'mcp', '--server', trellis.origin]
    await client.connect(new StdioClientTransport({ command: process.execPath, args }))
    return client
  }
  const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? ''

  test('offers tools that search, look sellers and prices up, and save searches', async () => {
    const client = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_listings', 'look_up_seller', 'market_price', 'save_search'])
    const found = JSON.parse(
      textOf(await client.callTool({ name: 'search_listings', arguments: { query: 'thinkpad', limit: 50 } })),
    ) as {
      listings: {
        listing_id: string
        seller_id: string
        trust: number
        trust_range: { low: number } | null
        flags: string[]
      }[]
      market_price: number
    }
    expect(found.listings).toHaveLength(50)
    const isFiltered = found.listings.map(({ flags }) => flags.some((flag) => /bad_actor|new_account/.test(flag)))
    expect(isFiltered).toEqual(isFiltered.toSorted((a, b) => Number(a) - Number(b)))
    const certain = found.listings.map(({ trust, trust_range: range }, index) => [
      isFiltered[index],
      range?.low ?? trust,
    ])
    for (const filtered of [true, false]) {
      const scores = certain.flatMap(([is, score]) => (is === filtered ? [Number(score)] : []))
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    }
    expect(found.market_price).toBeGreaterThan(0)
    const [first] = found.listings
    const seller = { seller_id: first?.seller_id, listing_id: first?.listing_id }
    const looked = textOf(await client.callTool({ name: 'look_up_seller', arguments: seller }))
    expect(JSON.parse(looked)).toMatchObject({
      trust_score: { evidence: expect.any(Array) },
      seller: expect.anything(),
    })
    const price = textOf(await client.callTool({ name: 'market_price', arguments: { query: 'thinkpad' } }))
    expect(JSON.parse(price)).toMatchObject({ median_price: expect.any(Number), sample_count: expect.any(Number) })
    await client.close()
  })

  test('tells the model why a call failed', async () => {
    const client = await connect()
    const unknown = await client.callTool({ name: 'look_up_seller', arguments: { seller_id: 'x', listing_id: 'y' } })
    expect(unknown).toMatchObject({ isError: true })
    expect(textOf(unknown)).toMatch(/404: No search has found the seller "x"/)
    const wrong = await client.callTool({ name: 'search_listings', arguments: { query: '' } })
    expect(wrong).toMatchObject({ isError: true })
    await client.close()
  })
})
