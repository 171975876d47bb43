import type { Handlers } from '@trellis/kit/rpc'
import type { SshTarget, SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import type { SshTargets, SshTargetView } from './ssh-targets.ts'

const sshPort = 22

const shown = ({ row, fingerprint, warnings }: SshTargetView): SshTarget => ({
  id: row.id,
  label: row.label,
  host: row.host,
  port: row.port,
  user: row.user,
  keyPath: row.key_path,
  lastTested: row.last_tested,
  lastOk: row.last_ok === null ? null : row.last_ok === 1,
  lastError: row.last_error,
  hostKeyFingerprint: fingerprint ?? null,
  warnings: [...warnings],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const sshTargetsRpc = ({ targets }: { targets: SshTargets }): Handlers<typeof SshTargetsServiceDefinition> => ({
  listSshTargets: async () => ({ sshTargets: (await targets.list()).map(shown) }),
  createSshTarget: async ({ port, ...fields }) => shown(await targets.create({ ...fields, port: port ?? sshPort })),
  updateSshTarget: async ({ id, label, host, port, user, keyPath }) =>
    shown(
      await targets.update(id, {
        ...(typeof label === 'string' && { label }),
        ...(typeof host === 'string' && { host }),
        ...(typeof port === 'number' && { port }),
        ...(typeof user === 'string' && { user }),
        ...(typeof keyPath === 'string' && { keyPath }),
      }),
    ),
  deleteSshTarget: async ({ id }) => {
    await targets.remove(id)
    return {}
  },
  testSshTarget: async ({ id, acceptHostKey }, { signal }) => {
    const result = await targets.test(id, { acceptHostKey: acceptHostKey ?? undefined, signal })
    return {
      ok: result.error === undefined,
      error: result.error ?? null,
      hostKeyFingerprint: result.fingerprint ?? null,
      warnings: [...result.target.warnings],
      tookMs: Math.round(result.tookMilliseconds),
      target: shown(result.target),
    }
  },
})
