import type { FaultyInstallation } from './installation.ts'

/** An operation into which faults are injected. `State` is the data of one run: ids, texts, bytes. */
export type Scenario<State> = {
  name: string
  /** Starts what the installation needs besides its own servers, and returns the settings that lead there. */
  surroundings?: () => Promise<AsyncDisposable & { environment: Record<string, string> }>
  /** Sets up the run without faults, once for each point. `key` is unique and deterministic for a seed. */
  prepare: (installation: FaultyInstallation, key: string) => Promise<State>
  /** Runs the operation with a fault armed. Returns whether it was acknowledged; throwing counts as not acknowledged. */
  operate: (installation: FaultyInstallation, state: State) => Promise<boolean>
  /** Runs without faults, after a restart if the process was killed. Returns the violated invariants. */
  check: (installation: FaultyInstallation, state: State, acknowledged: boolean) => Promise<string[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of scenarios holds each with a state of its own
export type AnyScenario = Scenario<any>

export type Answer = { status: number; body: Buffer; json: Record<string, unknown> }

/** Milliseconds within which every call must end, whatever is wrong with the disk. */
const answerLimit = 60_000

/** Sends a request and reads the complete answer. Throws if the connection breaks or the answer takes longer than a minute. */
export const send = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerLimit) })
  const body = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body, json: isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {} }
}

const sendJson =
  (method: string) =>
  (url: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    send(url, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })

export const postJson = sendJson('POST')
export const patchJson = sendJson('PATCH')

export const isOk = ({ status }: Answer) => status >= 200 && status < 300

const retryLimit = 20_000
const pause = 50

/** Repeats a check until it finds nothing wrong, for at most 20 s unless stated otherwise; returns the last result. */
export const eventually = async (check: () => Promise<string[]>, milliseconds = retryLimit): Promise<string[]> => {
  for (const limit = Date.now() + milliseconds; ; ) {
    const wrong = await check().catch((error: unknown) => [String(error)])
    if (wrong.length === 0 || Date.now() > limit) return wrong
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Repeats a request, like a client, until it is accepted; returns a sentence if it never is. */
export const untilAccepted = (what: string, request: () => Promise<Answer>, accepted = isOk): Promise<string[]> =>
  eventually(async () => {
    const answer = await request()
    return accepted(answer) ? [] : [`${what} is answered ${answer.status} ${answer.body.toString().slice(0, 300)}`]
  })
