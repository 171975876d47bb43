import { ExecutableMissing, findNatsServer } from '@trellis/distributed/servers'

const find = (): { command: string; missing?: never } | { command?: never; missing: string } => {
  try {
    return { command: findNatsServer(process.env) }
  } catch (error) {
    if (error instanceof ExecutableMissing) return { missing: error.message }
    throw error
  }
}

/** The NATS server of this machine, or why there is none. */
export const { command: natsCommand = '', missing: natsMissing } = find()
