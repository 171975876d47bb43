import type { TestProject } from 'vitest/node'
import { buildImages, type Images } from './images.ts'
import { clusterMissing } from './programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    images: Images
  }
}

/** Builds the images that all tests on the cluster install, once. */
export default async (project: TestProject): Promise<void> => {
  project.provide('images', clusterMissing === undefined ? await buildImages() : { application: '', servers: '' })
}
