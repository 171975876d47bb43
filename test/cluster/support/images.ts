import { createHash } from 'node:crypto'
import { copyFile, glob, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeContents } from '../../../deploy/images/contents.ts'
import { attempt, must } from '../../support/run-program.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { type ListedImage, outdatedImages } from './outdated-images.ts'
import { clusterTool, programs, root } from './programs.ts'

const environment = { STORAGE_DRIVER: 'overlay', BUILDAH_ISOLATION: 'chroot' }
const buildah = (...args: string[]) => must(programs.buildah, args, { environment })
const exists = async (image: string): Promise<boolean> =>
  (await attempt(programs.buildah, ['inspect', '--type', 'image', image], { environment })).code === 0

/** A base image with Node and optional Debian packages; about a minute if this machine does not have it yet. */
const baseImage = async (name: string, ...packages: string[]): Promise<string> => {
  if (!(await exists(name))) await must(clusterTool, ['base-image', '-t', name, ...packages], { environment })
  return name
}

/** A digest of the contents of files, so that an existing image need not be built again. */
const digestOf = async (...patterns: string[]): Promise<string> => {
  const hash = createHash('sha256')
  const files: string[] = []
  for await (const file of glob(patterns)) files.push(file)
  for (const file of files.sort()) hash.update(basename(file)).update(await readFile(file).catch(() => ''))
  return hash.digest('hex').slice(0, 12)
}

/** Images retained per repository: the current one, and the previous one, which another checkout may be using. */
const retainedImages = 2

/** Removes the images of earlier builds. Images in use are not removed. */
const removeOutdated = async (): Promise<void> => {
  const images = JSON.parse(await buildah('images', '--json')) as ListedImage[]
  for (const name of outdatedImages(images, retainedImages))
    await attempt(programs.buildah, ['rmi', name], { environment })
}

type Recipe = { image: string; file: string; context: string; base: { argument: string; image: string } }

/** Whether the cluster reports an image. A node reports at most fifty images, and late; a missed one is only loaded again. */
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

/** Loads the Node base image under the name of a public image, so that the cluster need not pull it. */
export const provideNodeAs = async (image: string): Promise<void> => {
  if (await isLoaded(image)) return
  await using directory = await temporaryDirectory()
  await buildah('tag', await baseImage('localhost/node:26'), image)
  await load(image, directory.path)
}

/** Builds an image unless it exists, and loads it into the cluster, which may be newer than the image. */
const provide = async ({ image, file, context, base }: Recipe, directory: string): Promise<void> => {
  const isNew = !(await exists(image))
  if (isNew)
    await buildah('bud', '-q', '--build-arg', `${base.argument}=${base.image}`, '-f', file, '-t', image, context)
  if (isNew || !(await isLoaded(image))) await load(image, directory)
  if (isNew) await removeOutdated()
}

/** Builds one of our images from a Dockerfile of a tree, and returns its tag. */
const provideOwn = async (
  name: string,
  file: string,
  base: string,
  directory: string,
  tree = root,
): Promise<string> => {
  const dockerfile = join(tree, 'deploy/images', file)
  const tag = await digestOf(`${directory}/app/**`, dockerfile)
  const recipe = { image: `localhost/${name}:${tag}`, file: dockerfile, context: directory }
  await provide({ ...recipe, base: { argument: 'NODE_IMAGE', image: base } }, directory)
  return tag
}

/** Calls `use` with a temporary folder that contains the programs and the web app of this checkout. */
const withBundle = async <Result>(use: (directory: string) => Promise<Result>): Promise<Result> => {
  await using directory = await temporaryDirectory()
  await writeContents(join(directory.path, 'app'))
  return await use(directory.path)
}

/** Builds and loads dedicated worker images, one GB with the browser, and returns their chart values. */
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

/** Tags of the images that tests install: the application image and the servers image. */
export type Images = { application: string; servers: string }

/** Builds the images of this checkout, unless they exist with the same contents, and loads them. */
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

/** Builds the application image of another tree with that tree's own program, loads it, and returns its tag. */
export const buildImageOf = async (tree: string): Promise<string> => {
  await using directory = await temporaryDirectory()
  await must(process.execPath, [join(tree, 'deploy/images/build.ts'), join(directory.path, 'app')])
  return await provideOwn('trellis', 'node.Dockerfile', await baseImage('localhost/node:26'), directory.path, tree)
}
