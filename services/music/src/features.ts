import { type Implementation, implementation } from '@trellis/kit/rpc'
import { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { eventsRpc } from './chains/events-rpc.ts'
import { chainRpc } from './chains/rpc.ts'
import { createDeliveries } from './delivery/export.ts'
import { deliveryRpc } from './delivery/rpc.ts'
import type { Dependencies } from './dependencies.ts'
import { openGenerations } from './generations/open-generations.ts'
import { generationsRpc } from './generations/rpc.ts'
import { gpuRpc } from './gpu/rpc.ts'
import { openSeparations } from './separations/open-separations.ts'
import { stemsRpc } from './separations/rpc.ts'
import { openSweep } from './sweep.ts'

/**
 * Opens a feature: returns its handlers, and registers its background work on `opened`, which ends it with the service. The
 * signal of the dependencies aborts first.
 */
type OpenFeature = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
) => Implementation | Promise<Implementation>

/** All features, one per line. A feature that needs another's behaviour receives its interface here. */
export const features: readonly OpenFeature[] = [
  (dependencies, opened) => {
    const { generations } = opened.use(openGenerations(dependencies))
    const { separations } = opened.use(openSeparations(dependencies))
    opened.use(openSweep(dependencies))
    const deliveries = createDeliveries(dependencies)
    return implementation(MusicServiceDefinition, {
      ...chainRpc(dependencies, generations.stop),
      ...generationsRpc(dependencies, generations),
      ...deliveryRpc(dependencies, deliveries),
      ...stemsRpc(dependencies, separations, deliveries),
      ...eventsRpc(dependencies),
      ...gpuRpc(dependencies),
      getHealth: async () => ({ status: 'ok' }),
    })
  },
]
