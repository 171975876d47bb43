import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, beforeEach } from 'vitest'
import { openPorts, type Ports } from './open-service.ts'

/** Opens ports in a directory of its own for each test of the file that calls this. They cannot be used outside of tests. */
export const portsOfEachTest = (): { readonly ports: Ports } => {
  let opened: AsyncDisposableStack
  let ports: Ports | undefined
  beforeEach(async () => {
    opened = new AsyncDisposableStack()
    const directory = opened.use(await temporaryDirectory())
    ports = opened.use(await openPorts(directory.path))
  })
  afterEach(() => opened.disposeAsync())
  return {
    get ports() {
      if (ports === undefined) throw new Error('The ports are opened before the first test.')
      return ports
    },
  }
}
