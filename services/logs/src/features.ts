import { type Implementation, implementation } from '@trellis/kit/rpc'
import { BlocklistServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/blocklist.ts'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { MediaMonitorServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/media_monitor.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { SessionsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/session.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { SetupServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/setup.ts'
import { SshTargetsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/ssh_targets.ts'
import { TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import { openBlocklist } from './blocklist/open-blocklist.ts'
import { blocklistRpc } from './blocklist/rpc.ts'
import { branchDirectoryRpc } from './branches/orchard-rpc.ts'
import { openCollecting } from './collect/open-collecting.ts'
import { collectRpc } from './collect/rpc.ts'
import { contextRpc } from './context/rpc.ts'
import type { Dependencies } from './dependencies.ts'
import { formatsRpc } from './formats/rpc.ts'
import { openIncidents } from './incidents/open-incidents.ts'
import { openVacuum } from './maintenance/open-vacuum.ts'
import { entriesRpc } from './maintenance/rpc.ts'
import { mediaMonitorRpc } from './media-monitor/rpc.ts'
import { logsRpc } from './rpc.ts'
import { scoringRpc } from './scoring/rpc.ts'
import { createScorerRuns } from './scoring/run-task.ts'
import { createScoring } from './scoring/scoring.ts'
import { forLocalCallers } from './session/local-callers.ts'
import { sessionsRpc } from './session/rpc.ts'
import { settingsRpc } from './settings/rpc.ts'
import { setupRpc } from './setup/rpc.ts'
import { sshTargetsRpc } from './ssh-targets/rpc.ts'
import { templatesRpc } from './templates/rpc.ts'
import { withPriority } from './threads/with-priority.ts'

/**
 * Opens a feature: returns its handlers, and registers its background work on `opened`, which ends it with the service. The
 * signal of the dependencies aborts first.
 */
type OpenFeature = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
) => Implementation | Promise<Implementation>

/** All features, one per line. What two of them need is in the dependencies. */
export const features: readonly OpenFeature[] = [
  (dependencies) => implementation(LogsServiceDefinition, logsRpc(dependencies)),
  (dependencies) => implementation(TemplatesServiceDefinition, templatesRpc(dependencies)),
  (dependencies, opened) => opened.use(openIncidents(dependencies)).implementation,
  (dependencies) =>
    implementation(
      SettingsServiceDefinition,
      forLocalCallers(dependencies, settingsRpc(dependencies), { updateSettings: 'settings are changed' }),
    ),
  (dependencies) => implementation(MediaMonitorServiceDefinition, mediaMonitorRpc(dependencies)),
  (dependencies, opened) =>
    implementation(BlocklistServiceDefinition, blocklistRpc(opened.use(openBlocklist(dependencies)))),
  ({ context }) => implementation(ContextServiceDefinition, contextRpc(context)),
  async (dependencies, opened) =>
    implementation(CollectServiceDefinition, collectRpc(opened.use(await openCollecting(dependencies)))),
  (dependencies) => implementation(FormatsServiceDefinition, formatsRpc(dependencies)),
  (dependencies) =>
    implementation(
      SshTargetsServiceDefinition,
      forLocalCallers(dependencies, sshTargetsRpc(dependencies.ssh), {
        createSshTarget: 'SSH targets are added',
        updateSshTarget: 'SSH targets are changed',
        deleteSshTarget: 'SSH targets are removed',
        testSshTarget: 'SSH targets are tested',
      }),
    ),
  (dependencies, opened) => {
    const scoring = opened.use(
      createScoring({ ...dependencies, engine: withPriority(dependencies.engineWithoutOverlays, 'background') }),
    )
    return implementation(ScoringServiceDefinition, scoringRpc(scoring, createScorerRuns(dependencies)))
  },
  (dependencies) =>
    implementation(
      EntriesServiceDefinition,
      forLocalCallers(dependencies, entriesRpc(dependencies, openVacuum(dependencies)), {
        deleteSource: 'sources are deleted',
      }),
    ),
  (dependencies) =>
    implementation(
      SetupServiceDefinition,
      forLocalCallers(dependencies, setupRpc(dependencies, dependencies.ssh), { writeSources: 'sources are added' }),
    ),
  ({ directory }) => branchDirectoryRpc(directory),
  (dependencies) => implementation(SessionsServiceDefinition, sessionsRpc(dependencies)),
]
