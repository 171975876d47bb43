/**
 * Answers of the API, recorded from an installation with demo data. A page that gets them, at the time of the recording, looks the same at any time:
 * prices of the demo marketplace, ages, durations and generated takes differ between installations.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Page, Request, Route } from 'playwright-core'
import type { Seeded } from './seed.ts'

type Answer = { status: number; type: string; text: string } | { status: number; type: string; base64: string }

export type Recording = {
  /** When the pages were shown, as an ISO time. */
  at: string
  seeded: Seeded
  answers: Record<string, Answer>
}

const file = new URL('./references/answers.json.gz', import.meta.url)

export const readRecording = async (): Promise<Recording> =>
  JSON.parse((await promisify(gunzip)(await readFile(file))).toString()) as Recording

export const writeRecording = async ({ at, seeded, answers }: Recording): Promise<void> => {
  const ordered = Object.fromEntries(Object.entries(answers).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(file, await promisify(gzip)(JSON.stringify({ at, seeded, answers: ordered }), { level: 9 }))
}

const isApi = (url: URL): boolean => /^\/(listings|logs|music)\/api\//.test(url.pathname)
/** Streams without an end: they are left open without an event. */
const isEndless = (url: URL): boolean => /\/(events|tail)$/.test(url.pathname)

/** What is requested; the same in each visit of a page. */
const keyOf = (request: Request): string => {
  const { pathname, search } = new URL(request.url())
  return [request.method(), pathname + search, request.postData() ?? ''].join(' ').trimEnd()
}

const isText = (type: string): boolean => /^(text|application\/json|image\/svg)/.test(type)

const fetchAnswer = async (route: Route): Promise<Answer> => {
  const response = await route.fetch()
  const type = response.headers()['content-type'] ?? ''
  const body = await response.body()
  const status = response.status()
  return isText(type) ? { status, type, text: body.toString() } : { status, type, base64: body.toString('base64') }
}

const send = (route: Route, answer: Answer): Promise<void> =>
  route.fulfill({
    status: answer.status,
    contentType: answer.type,
    // The marketplace of the recording is the demo.
    headers: { 'content-type': answer.type, 'x-marketplace': 'demo' },
    body: 'text' in answer ? answer.text : Buffer.from(answer.base64, 'base64'),
  })

const arrange = async (
  page: Page,
  at: string,
  answerOf: (key: string, route: Route) => Promise<Answer | undefined>,
): Promise<void> => {
  await page.clock.setFixedTime(at)
  await page.route(isApi, async (route) => {
    const request = route.request()
    if (isEndless(new URL(request.url()))) return
    const answer = await answerOf(keyOf(request), route)
    await (answer ? send(route, answer) : route.abort())
  })
}

/** Answers a page from a recording. The returned function lists the requests that it has no answer to. */
export const replay = async (page: Page, { at, answers }: Recording): Promise<() => string[]> => {
  const unknown = new Set<string>()
  await arrange(page, at, async (key) => {
    const answer = answers[key]
    if (!answer) unknown.add(key)
    return answer
  })
  return () => [...unknown]
}

/** Lets the installation answer a page, and records its answers; what was recorded before is answered from the recording. */
export const record = (page: Page, { at, answers }: Recording): Promise<void> =>
  arrange(page, at, async (key, route) => {
    answers[key] ??= await fetchAnswer(route)
    return answers[key]
  })
