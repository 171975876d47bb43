import type { FaultyInstallation } from './installation.ts'

/** An operation that faults are injected into. `State` is what one run of it is about: ids, texts, bytes. */
export type Scenario<State> = {
  name: string
  /** What must be there before: runs without a fault, once for each point. `key` is unique, and the same for the same seed. */
  prepare: (installation: FaultyInstallation, key: string) => Promise<State>
  /** The operation itself, with a fault armed. Gives whether it was acknowledged; one that throws was not. */
  operate: (installation: FaultyInstallation, state: State) => Promise<boolean>
  /** Runs without a fault, after a restart where the process was killed. Gives the invariants that do not hold. */
  check: (installation: FaultyInstallation, state: State, acknowledged: boolean) => Promise<string[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of scenarios holds each with a state of its own
export type AnyScenario = Scenario<any>

export type Answer = { status: number; body: Buffer; json: Record<string, unknown> }

/** No call may hang, whatever is wrong with the disk; in milliseconds. */
const answerLimit = 60_000

/** One request, its body read to the end. Throws where the connection breaks or the answer takes longer than a minute. */
export const send = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerLimit) })
  const body = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body, json: isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {} }
}

export const postJson = (url: string, body: object) =>
  send(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

export const isOk = ({ status }: Answer) => status >= 200 && status < 300

const retryLimit = 20_000
const pause = 50

/** Repeats a check until nothing is wrong, for at most 20 s; gives what was wrong at last. */
export const eventually = async (check: () => Promise<string[]>): Promise<string[]> => {
  for (const limit = Date.now() + retryLimit; ; ) {
    const wrong = await check().catch((error: unknown) => [String(error)])
    if (wrong.length === 0 || Date.now() > limit) return wrong
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Repeats a request, as a client does, until it is accepted; gives a sentence where it never is. */
export const untilAccepted = (what: string, request: () => Promise<Answer>, accepted = isOk): Promise<string[]> =>
  eventually(async () => {
    const answer = await request()
    return accepted(answer) ? [] : [`${what} is answered ${answer.status} ${answer.body.toString().slice(0, 300)}`]
  })
