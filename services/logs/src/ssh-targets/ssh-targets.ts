import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { refusalOfAddress } from '@trellis/kit/egress'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { outputOf } from '../collect/command.ts'
import { openSshConnection, type SshOptions } from '../collect/ssh/connection.ts'
import type { SshAddress } from '../collect/ssh/handshake.ts'
import { keyWarnings, refusalOfKeyPath } from '../collect/ssh/key-file.ts'
import { isSshFailure } from '../collect/ssh/ssh-failure.ts'
import {
  countTargets,
  deleteTarget,
  findTarget,
  insertTarget,
  listTargets,
  type SshTargetRow,
  type SshTargetTables,
  saveTest,
  updateTarget,
} from './store.ts'

/** The fields of a target that a user edits. */
export type SshTargetFields = { label: string; host: string; port: number; user: string; keyPath: string }

/** A target with the current state of its host key and its key file. */
export type SshTargetView = {
  row: SshTargetRow
  fingerprint: string | undefined
  warnings: readonly string[]
}

export type SshTestResult = {
  error: string | undefined
  fingerprint: string | undefined
  tookMilliseconds: number
  target: SshTargetView
}

/** Remote hosts, stored as rows. */
export type SshTargets = {
  list: () => Promise<SshTargetView[]>
  /** Throws `invalid`; `conflict` where there are too many. */
  create: (fields: SshTargetFields) => Promise<SshTargetView>
  /** Throws `invalid` and `not_found`. */
  update: (id: string, fields: Partial<SshTargetFields>) => Promise<SshTargetView>
  /** Throws `not_found`. */
  remove: (id: string) => Promise<void>
  /** Throws `not_found`. A failed test is a result. */
  test: (id: string, options: { acceptHostKey: string | undefined; signal: AbortSignal }) => Promise<SshTestResult>
  /** How a target is reached; undefined for an unknown id. */
  addressOf: (id: string) => Promise<SshAddress | undefined>
}

export type SshTargetsOptions = SshOptions & { db: Kysely<SshTargetTables>; now: () => number }

const maxTargets = 1_000
const maxTestBytes = 64 * 1024
const testMilliseconds = 30_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const control = /[\u0000-\u001f\u007f]/
const hostName = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?$/
/** User names of SSH servers, also in the forms of directories (`kim@corp`, `CORP\kim`), without characters at which a shell or a list is split. */
const userName = /^[^\s:,/'"`$&|;<>()-][^\s:,/'"`$&|;<>()]{0,63}$/

/** Throws `invalid` for the first field with a value that is not allowed. */
const checkFields = (fields: Partial<SshTargetFields>, keyFolders: readonly string[]): void => {
  const { label, host, user, keyPath } = fields
  if (label !== undefined && (label.trim() === '' || control.test(label)))
    throw invalidField(['body', 'label'], 'A label has some text and no control characters.')
  if (host !== undefined) {
    if (isIP(host) === 0 && !hostName.test(host))
      throw invalidField(['body', 'host'], 'host must be a name such as nas.home, or an address such as 192.168.1.7.')
    const refusal = isIP(host) === 0 ? undefined : refusalOfAddress(host, { blockPrivate: false })
    if (refusal !== undefined) throw invalidField(['body', 'host'], refusal)
  }
  if (user !== undefined && (!userName.test(user) || control.test(user)))
    throw invalidField(['body', 'user'], 'user must be the name of a user on the remote host.')
  if (keyPath === '') throw invalidField(['body', 'key_path'], 'key_path is missing: SSH requires a key.')
  const refusal = keyPath === undefined ? undefined : refusalOfKeyPath(keyPath, keyFolders)
  if (refusal !== undefined) throw invalidField(['body', 'key_path'], refusal)
}

const addressIn = ({ host, port, user, key_path: keyPath }: SshTargetRow): SshAddress => ({ host, port, user, keyPath })

const unknown = (id: string) => serviceError('not_found', `There is no SSH target with the id "${id.slice(0, 100)}".`)

export const createSshTargets = ({ db, now, ...ssh }: SshTargetsOptions): SshTargets => {
  const iso = () => new Date(now()).toISOString()
  const view = async (row: SshTargetRow): Promise<SshTargetView> => ({
    row,
    fingerprint: await ssh.hostKeys.fingerprintOf(row),
    warnings: await keyWarnings(row.key_path, ssh.keyFolders),
  })
  /** Tests with a new connection: an existing one would prove nothing. */
  const tryOut = async (row: SshTargetRow, acceptHostKey: string | undefined, signal: AbortSignal) => {
    let presented: string | undefined
    try {
      await using connection = await openSshConnection(addressIn(row), ssh, { signal, acceptHostKey })
      presented = connection.fingerprint
      await outputOf(connection.run, ['true'], { signal, maxBytes: maxTestBytes })
      return { error: undefined, fingerprint: presented }
    } catch (error) {
      const fingerprint = presented ?? (isSshFailure(error) ? error.fingerprint : undefined)
      if (error instanceof Error) return { error: error.message, fingerprint }
      throw error
    }
  }
  return {
    list: async () => Promise.all((await listTargets(db, maxTargets)).map(view)),
    create: async (fields) => {
      checkFields(fields, ssh.keyFolders)
      if ((await countTargets(db)) >= maxTargets)
        throw serviceError('conflict', `There may be ${maxTargets} SSH targets. Remove one first.`)
      const { label, host, port, user, keyPath } = fields
      const row: SshTargetRow = {
        id: randomUUID(),
        label: label.trim(),
        host: host.toLowerCase(),
        port,
        user,
        key_path: keyPath,
        last_tested: null,
        last_ok: null,
        last_error: null,
        created_at: iso(),
        updated_at: iso(),
      }
      await insertTarget(db, row)
      return view(row)
    },
    update: async (id, fields) => {
      checkFields(fields, ssh.keyFolders)
      const { label, host, port, user, keyPath } = fields
      const address = {
        ...(host !== undefined && { host: host.toLowerCase() }),
        ...(port !== undefined && { port }),
        ...(user !== undefined && { user }),
        ...(keyPath !== undefined && { key_path: keyPath }),
      }
      const row = await transact(db, async (transaction) => {
        const before = await findTarget(transaction, id)
        if (!before) return undefined
        return updateTarget(transaction, id, {
          ...address,
          ...(label !== undefined && { label: label.trim() }),
          ...(!isDeepStrictEqual(before, { ...before, ...address }) && {
            last_tested: null,
            last_ok: null,
            last_error: null,
          }),
          updated_at: iso(),
        })
      })
      if (!row) throw unknown(id)
      return view(row)
    },
    remove: async (id) => {
      if (!(await deleteTarget(db, id))) throw unknown(id)
    },
    test: async (id, { acceptHostKey, signal }) => {
      const row = await findTarget(db, id)
      if (!row) throw unknown(id)
      const started = performance.now()
      const limit = AbortSignal.timeout(testMilliseconds)
      const { error, fingerprint } = await tryOut(row, acceptHostKey, AbortSignal.any([signal, limit]))
      signal.throwIfAborted()
      const failure = limit.aborted ? `${row.host} took longer than ${testMilliseconds / 1_000} s.` : error
      const result = { last_tested: iso(), last_ok: failure === undefined ? 1 : 0, last_error: failure ?? null }
      const saved = (await saveTest(db, row, result)) ?? (await findTarget(db, id))
      if (!saved) throw unknown(id)
      const tookMilliseconds = performance.now() - started
      return { error: failure, fingerprint, tookMilliseconds, target: await view(saved) }
    },
    addressOf: async (id) => {
      const row = await findTarget(db, id)
      return row && addressIn(row)
    },
  }
}
