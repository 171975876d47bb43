import { type Implementation, implementation } from '@trellis/kit/rpc'
import { BlocklistServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/blocklist.ts'
import { CollectServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { FormatsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/formats.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { MediaMonitorServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/media_monitor.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
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
import { formatsRpc } from './formats/rpc.ts'
import { openIncidents } from './incidents/open-incidents.ts'
import { openVacuum } from './kept/open-vacuum.ts'
import { entriesRpc } from './kept/rpc.ts'
import { mediaMonitorRpc } from './media-monitor/rpc.ts'
import { logsRpc } from './rpc.ts'
import { scoringRpc } from './scoring/rpc.ts'
import { createScorerRuns } from './scoring/run-task.ts'
import { createScoring } from './scoring/scoring.ts'
import { forLocalCallers } from './session/local-callers.ts'
import { settingsRpc } from './settings/rpc.ts'
import { setupRpc } from './setup/rpc.ts'
import { sshTargetsRpc } from './ssh-targets/rpc.ts'
import { templatesRpc } from './templates/rpc.ts'
import { unhurried } from './threads/unhurried.ts'
import type { World } from './world.ts'

/** Makes a feature of what stands under all of them: what it answers, and on `opened` what it does unasked, which ends with the service. */
type OpenFeature = (world: World, opened: AsyncDisposableStack) => Implementation | Promise<Implementation>

/** All there is, a line each. None knows another: what two of them need is in the world. */
export const features: readonly OpenFeature[] = [
  (world) => implementation(LogsServiceDefinition, logsRpc(world)),
  (world) => implementation(TemplatesServiceDefinition, templatesRpc(world)),
  (world, opened) => opened.use(openIncidents(world)).implementation,
  (world) =>
    implementation(
      SettingsServiceDefinition,
      forLocalCallers(world, settingsRpc(world), { updateSettings: 'settings are changed' }),
    ),
  (world) => implementation(MediaMonitorServiceDefinition, mediaMonitorRpc(world)),
  (world, opened) => implementation(BlocklistServiceDefinition, blocklistRpc(opened.use(openBlocklist(world)))),
  ({ context }) => implementation(ContextServiceDefinition, contextRpc(context)),
  async (world, opened) =>
    implementation(CollectServiceDefinition, collectRpc(opened.use(await openCollecting(world)))),
  (world) => implementation(FormatsServiceDefinition, formatsRpc(world)),
  (world) =>
    implementation(
      SshTargetsServiceDefinition,
      forLocalCallers(world, sshTargetsRpc(world.ssh), {
        createSshTarget: 'SSH targets are added',
        updateSshTarget: 'SSH targets are changed',
        deleteSshTarget: 'SSH targets are removed',
        testSshTarget: 'SSH targets are tested',
      }),
    ),
  (world, opened) => {
    const scoring = opened.use(createScoring({ ...world, engine: unhurried(world.bareEngine, 'unasked') }))
    return implementation(ScoringServiceDefinition, scoringRpc(scoring, createScorerRuns(world)))
  },
  (world) =>
    implementation(
      EntriesServiceDefinition,
      forLocalCallers(world, entriesRpc(world, openVacuum(world)), { deleteSource: 'sources are deleted' }),
    ),
  (world) =>
    implementation(
      SetupServiceDefinition,
      forLocalCallers(world, setupRpc(world, world.ssh), { writeSources: 'sources are added' }),
    ),
  ({ directory }) => branchDirectoryRpc(directory),
]
