import { createHash } from 'node:crypto'
import { copyFile, glob, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bundle } from '../../../deploy/images/bundle.ts'
import { entryModules } from '../../../deploy/images/entries.ts'
import { attempt, must } from '../../support/run-program.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { type ListedImage, outdatedImages } from './outdated-images.ts'
import { clusterTool, programs, root } from './programs.ts'

const environment = { STORAGE_DRIVER: 'overlay', BUILDAH_ISOLATION: 'chroot' }
const buildah = (...args: string[]) => must(programs.buildah, args, { environment })
const exists = async (image: string): Promise<boolean> =>
  (await attempt(programs.buildah, ['inspect', '--type', 'image', image], { environment })).code === 0

/** A base with Node, and maybe with packages of Debian; about a minute where this machine has none yet. */
const baseImage = async (name: string, ...packages: string[]): Promise<string> => {
  if (!(await exists(name))) await must(clusterTool, ['base-image', '-t', name, ...packages], { environment })
  return name
}

/** Changes with what is in the files, so that an image that is there already need not be made. */
const digestOf = async (...patterns: string[]): Promise<string> => {
  const hash = createHash('sha256')
  const files: string[] = []
  for await (const file of glob(patterns)) files.push(file)
  for (const file of files.sort()) hash.update(basename(file)).update(await readFile(file).catch(() => ''))
  return hash.digest('hex').slice(0, 12)
}

/** Of each image the one that is used now, and the one before it, which another checkout may be using. */
const imagesKept = 2

/** Removes what earlier builds have left. An image that somebody is using stays. */
const removeOutdated = async (): Promise<void> => {
  const images = JSON.parse(await buildah('images', '--json')) as ListedImage[]
  for (const name of outdatedImages(images, imagesKept)) await attempt(programs.buildah, ['rmi', name], { environment })
}

type Recipe = { image: string; file: string; context: string; base: { argument: string; image: string } }

/** Whether the cluster has it. A node tells of fifty images at most, and late: not to be told of one costs a loading. */
const isLoaded = async (image: string): Promise<boolean> => {
  const args = ['get', 'nodes', '-o', 'jsonpath={.items[*].status.images[*].names}']
  const { code, output } = await attempt(programs.kubectl, args)
  return code === 0 && output.includes(`"${image}"`)
}

const load = async (image: string, directory: string): Promise<void> => {
  const archive = join(directory, 'image.tar')
  await buildah('push', '-q', image, `docker-archive:${archive}:${image}`)
  await must(clusterTool, ['load', archive])
  await rm(archive)
}

/** Has the cluster know a base with Node by the name of a public image, which it need not pull then. */
export const provideNodeAs = async (image: string): Promise<void> => {
  if (await isLoaded(image)) return
  await using directory = await temporaryDirectory()
  await buildah('tag', await baseImage('localhost/node:26'), image)
  await load(image, directory.path)
}

/** Builds an image unless it is there, and loads it into the cluster, which may be younger than the image. */
const provide = async ({ image, file, context, base }: Recipe, directory: string): Promise<void> => {
  const isNew = !(await exists(image))
  if (isNew)
    await buildah('bud', '-q', '--build-arg', `${base.argument}=${base.image}`, '-f', file, '-t', image, context)
  if (isNew || !(await isLoaded(image))) await load(image, directory)
  if (isNew) await removeOutdated()
}

/** Builds an image of ours from its Dockerfile; its tag is given. */
const provideOwn = async (name: string, file: string, base: string, directory: string): Promise<string> => {
  const dockerfile = join(root, 'deploy/images', file)
  const tag = await digestOf(`${directory}/app/*.js`, dockerfile)
  const recipe = { image: `localhost/${name}:${tag}`, file: dockerfile, context: directory }
  await provide({ ...recipe, base: { argument: 'NODE_IMAGE', image: base } }, directory)
  return tag
}

/** A folder with the bundle of this checkout, which goes when it has been used. */
const withBundle = async <Result>(use: (directory: string) => Promise<Result>): Promise<Result> => {
  await using directory = await temporaryDirectory()
  await bundle(entryModules(), join(directory.path, 'app'))
  return await use(directory.path)
}

/** Values of the chart for workers with images of their own, which are built and loaded: a gigabyte with the browser. */
export const buildWorkerImages = (): Promise<object> =>
  withBundle(async (directory) => {
    const browser = await baseImage('localhost/node-chromium:26', 'chromium')
    const search = await provideOwn('trellis-search-worker', 'chromium.Dockerfile', browser, directory)
    const node = await baseImage('localhost/node:26')
    const generation = await provideOwn('trellis-generation-worker', 'generation.Dockerfile', node, directory)
    return {
      search: {
        image: { repository: 'trellis-search-worker', tag: search },
        resources: { limits: { memory: '1Gi' } },
      },
      generation: { image: { repository: 'trellis-generation-worker', tag: generation } },
    }
  })

/** The images that tests install, in the cluster: the tag of ours, and of the servers. */
export type Images = { application: string; servers: string }

/** Builds the images of this checkout, at most once for the same contents, and loads them. */
export const buildImages = (): Promise<Images> =>
  withBundle(async (directory) => {
    const application = await provideOwn('trellis', 'node.Dockerfile', await baseImage('localhost/node:26'), directory)
    const file = join(root, 'test/cluster/images/servers.Dockerfile')
    const servers = await digestOf(file, programs.natsServer)
    await copyFile(programs.natsServer, join(directory, 'nats-server'))
    const base = await baseImage('localhost/node-postgres:26', 'postgresql')
    const recipe = { image: `localhost/trellis-servers:${servers}`, file, context: directory }
    await provide({ ...recipe, base: { argument: 'POSTGRES_IMAGE', image: base } }, directory)
    return { application, servers }
  })
