import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node'
import { serviceError } from '../../errors/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import { ConnectionLost } from './errors.ts'
import type { NatsBusLimits, NatsBusOptions, NatsCredentials } from './options.ts'

/** Time limit of one attempt to connect, in milliseconds. */
const dialMilliseconds = 5_000
/** Time limit of a request about streams or consumers, in milliseconds. */
const requestMilliseconds = 5_000

/** A connection that reconnects by itself until the bus is closed. */
export type Connection = {
  nats: NatsConnection
  jetStream: JetStreamClient
  manager: JetStreamManager
  /** The server's maximum size of a message in bytes, headers included. */
  maxPayload: () => number
  isConnected: () => boolean
  /** Resolves when there is a connection; rejects with ConnectionLost when the signal aborts first. */
  connected: (signal: AbortSignal) => Promise<void>
  /** Settles as the promise does, or rejects with ConnectionLost if the connection is lost first. */
  whileConnected: <Result>(promise: Promise<Result>) => Promise<Result>
  /** Calls back whenever the connection is lost. Returns a function that unsubscribes. */
  onLost: (lost: () => void) => () => void
  close: () => Promise<void>
}

const authentication = (credentials: NatsCredentials | undefined): ConnectionOptions => {
  if (credentials === undefined) return {}
  if ('user' in credentials) return { user: credentials.user, pass: credentials.password }
  if ('token' in credentials) return { token: credentials.token }
  return { authenticator: credsAuthenticator(new TextEncoder().encode(credentials.credentials)) }
}

const checkServers = (servers: readonly string[]): string[] => {
  if (servers.length === 0) throw new TypeError('There is no address of a NATS server.')
  // The address is not echoed: the part before the @ is a secret.
  if (servers.some((server) => server.includes('@')))
    throw new TypeError('The address of a NATS server holds a user or a password; pass those separately.')
  return [...servers]
}

/** Retries until the time is up, except when the server rejects our credentials. */
const dial = async (options: ConnectionOptions, { servers }: NatsBusOptions, within: number) => {
  const limit = performance.now() + within
  for (;;) {
    try {
      return await connect(options)
    } catch (error) {
      const where = servers.join(', ')
      if (error instanceof AuthorizationError)
        throw serviceError('unavailable', `The NATS server at ${where} does not accept these credentials.`, {
          cause: error,
        })
      if (performance.now() >= limit)
        throw serviceError('unavailable', `No NATS server answered at ${where} within ${within / 1_000} s.`, {
          cause: error,
        })
      await sleep(100)
    }
  }
}

/** Throws unless JetStream answers for our account, which the bus depends on. Retries, because a server that has just started needs time. */
const checkJetStream = async (manager: JetStreamManager, { servers }: NatsBusOptions, within: number) => {
  const limit = performance.now() + within
  for (;;) {
    try {
      return await manager.getAccountInfo()
    } catch (error) {
      if (performance.now() >= limit) {
        const message = `The NATS server at ${servers.join(', ')} offers no JetStream to this account. Enable it.`
        throw serviceError('unavailable', message, { cause: error })
      }
      await sleep(100)
    }
  }
}

const followStatus = async (nats: NatsConnection, log: Log, changed: (connected: boolean) => void) => {
  for await (const status of nats.status()) {
    if (status.type === 'disconnect') {
      log.warn({ server: status.server }, 'connection to the message server lost')
      changed(false)
    } else if (status.type === 'reconnect') {
      log.info({ server: status.server }, 'connected to the message server again')
      changed(true)
    } else if (status.type === 'error') log.error({ err: status.error }, 'message server reported an error')
  }
}

/**
 * Connects and checks that JetStream is available. Throws an Error that states the cause, without secrets. `isWorker`: the
 * account reaches single streams of another account and has no JetStream itself, so the check is skipped.
 */
export const openConnection = async (
  options: NatsBusOptions,
  limits: NatsBusLimits,
  { isWorker = false } = {},
): Promise<Connection> => {
  const { name, credentials, tls, log } = options
  const settings: ConnectionOptions = {
    servers: checkServers(options.servers),
    name,
    ...authentication(credentials),
    ...(tls ? { tls } : {}),
    timeout: dialMilliseconds,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // Credentials may be corrected on the server while we retry; giving up would require a restart of every service.
    ignoreAuthErrorAbort: true,
    // Detects within 30 s a server that vanished without closing the connection.
    pingInterval: 10_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  }
  const nats = await dial(settings, options, limits.connectWithinMilliseconds)
  const manager = await jetstreamManager(nats, { checkAPI: false, timeout: requestMilliseconds })
  try {
    if (!isWorker) await checkJetStream(manager, options, limits.connectWithinMilliseconds)
  } catch (error) {
    await nats.close()
    throw error
  }

  let isConnected = true
  let maxPayload = nats.info?.max_payload ?? 0
  const lost = new Set<() => void>()
  const back = new Set<() => void>()
  const callAll = (callbacks: Set<() => void>) => {
    for (const callback of [...callbacks]) callback()
  }
  const following = followStatus(nats, log, (connected) => {
    isConnected = connected
    maxPayload = nats.info?.max_payload ?? maxPayload
    callAll(connected ? back : lost)
  })

  return {
    nats,
    manager,
    jetStream: jetstream(nats, { timeout: requestMilliseconds }),
    maxPayload: () => maxPayload,
    isConnected: () => isConnected,
    connected: async (signal) => {
      if (isConnected && !signal.aborted) return
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const stop = () => reject(new ConnectionLost('There is no connection to the message server.'))
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      back.add(resolve)
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', stop)
        back.delete(resolve)
      }
    },
    whileConnected: async (promise) => {
      const { promise: loss, reject } = Promise.withResolvers<never>()
      const stop = () => reject(new ConnectionLost('The connection to the message server was lost.'))
      lost.add(stop)
      try {
        return await Promise.race([promise, loss])
      } finally {
        lost.delete(stop)
      }
    },
    onLost: (callback) => {
      lost.add(callback)
      return () => lost.delete(callback)
    },
    close: async () => {
      // Flushes messages that were sent without waiting for an answer.
      if (isConnected)
        await Promise.race([nats.flush().catch(() => undefined), sleep(2_000, undefined, { ref: false })])
      await nats.close()
      await following
    },
  }
}
