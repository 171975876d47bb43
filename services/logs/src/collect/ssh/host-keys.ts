import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type HostKeyTables, pinHostKey, pinnedHostKey, replaceHostKey } from './host-key-store.ts'
import { readKnownKeys } from './known-hosts.ts'

export type HostAddress = { host: string; port: number }

/** The verdict on the key of a host. */
export type HostKeyVerdict =
  | { accepted: true; fingerprint: string }
  /** `refusal` is a sentence for users that explains how to accept the key. */
  | { accepted: false; fingerprint: string; refusal: string }

/** The keys of hosts: those of known_hosts files, else the first key that was seen. */
export type HostKeys = {
  /** The known types of a host's key, which are then requested; empty for a new host. */
  typesOf: (address: HostAddress) => Promise<readonly string[]>
  /** `key` is in wire format. The key of a new host is stored; with `accept`, also a changed key that has this fingerprint. */
  judge: (address: HostAddress, key: Buffer, accept?: string) => Promise<HostKeyVerdict>
  /** The fingerprint of a host's stored key, for display. */
  fingerprintOf: (address: HostAddress) => Promise<string | undefined>
}

/** In the format of ssh-keygen -l. */
export const fingerprintOfKey = (key: Buffer): string => `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`

/** The type is at the beginning of a key (RFC 4253 section 6.6), after its length. */
export const typeOfKey = (key: Buffer): string =>
  key.length < 4 ? '' : key.toString('latin1', 4, 4 + Math.min(64, key.readUInt32BE()))

export type HostKeysOptions = {
  db: Kysely<HostKeyTables>
  /** known_hosts files. */
  files: readonly string[]
  now: () => number
}

export const createHostKeys = ({ db, files, now }: HostKeysOptions): HostKeys => {
  const refuse = (fingerprint: string, refusal: string): HostKeyVerdict => ({ accepted: false, fingerprint, refusal })
  return {
    typesOf: async ({ host, port }) => {
      const known = await readKnownKeys(files, host, port)
      if (known.some(({ isRevoked }) => !isRevoked)) return known.flatMap((each) => (each.isRevoked ? [] : [each.type]))
      const pinned = await pinnedHostKey(db, { host, port })
      return pinned ? [pinned.key_type] : []
    },
    fingerprintOf: async ({ host, port }) => (await pinnedHostKey(db, { host, port }))?.fingerprint,
    judge: async ({ host, port }, key, accept) => {
      const fingerprint = fingerprintOfKey(key)
      const written = key.toString('base64')
      const known = await readKnownKeys(files, host, port)
      if (known.some((each) => each.isRevoked && each.key === written))
        return refuse(
          fingerprint,
          `The key that ${host} presents (${fingerprint}) is marked as revoked in known_hosts.`,
        )
      const valid = known.filter(({ isRevoked }) => !isRevoked)
      if (valid.length > 0 && !valid.some((each) => each.key === written))
        return refuse(
          fingerprint,
          `${host} presents the key ${fingerprint}, but known_hosts has another for it: this may be a man-in-the-middle attack. ` +
            `If its key was changed, change known_hosts (ssh-keygen -R ${host}).`,
        )
      const row = { host, port, key_type: typeOfKey(key), fingerprint, first_seen_at: now() }
      const pinned = await pinHostKey(db, row)
      if (pinned.fingerprint === fingerprint) return { accepted: true, fingerprint }
      // A key in known_hosts is accepted.
      if (valid.length > 0 || accept === fingerprint) {
        await replaceHostKey(db, row)
        return { accepted: true, fingerprint }
      }
      return refuse(
        fingerprint,
        `${host} presents the key ${fingerprint}, but ${pinned.fingerprint} is stored for it: this may be a man-in-the-middle attack. ` +
          `If its key was changed, test the target with {"accept_host_key": "${fingerprint}"}.`,
      )
    },
  }
}
