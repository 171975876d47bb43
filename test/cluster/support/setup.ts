import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { must } from '../../support/run-program.ts'
import { buildImages, type Images } from './images.ts'
import { clusterMissing, programs } from './programs.ts'
import { runLabel } from './run-label.ts'

declare module 'vitest' {
  interface ProvidedContext {
    images: Images
    /** Identifies this test run in a label of the namespaces that tests create. */
    run: string
  }
}

/** Builds the images for all tests on the cluster once; the returned teardown waits until their namespaces are gone. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const run = randomBytes(4).toString('hex')
  project.provide('run', run)
  project.provide('images', clusterMissing === undefined ? await buildImages() : { application: '', servers: '' })
  if (clusterMissing !== undefined) return undefined
  return async () => {
    const selector = ['--selector', `${runLabel}=${run}`]
    await must(programs.kubectl, ['delete', 'namespaces', ...selector, '--wait=true', '--timeout=300s'])
  }
}
