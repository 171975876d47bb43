import type { Dependencies } from '../dependencies.ts'
import { driveOrders } from '../orders/drive-orders.ts'
import { driveSeparation } from './drive.ts'
import { separationOrders } from './order.ts'
import { separatingStems } from './store.ts'

/** Time limit for one delivery to wait for the servers that a separation depends on, in milliseconds. */
const longestOutage = 3_600_000

/** Drives separations until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveSeparations = (dependencies: Dependencies): Promise<void> =>
  driveOrders(dependencies, {
    queue: separationOrders,
    what: 'separation',
    concurrency: dependencies.config.separations,
    longestOutage,
    drive: (order, delivery) => driveSeparation(dependencies, order, delivery),
    unfinished: async () =>
      (await separatingStems(dependencies.db)).map(({ node_id, run_id }) => ({ nodeId: node_id, runId: run_id })),
  })
