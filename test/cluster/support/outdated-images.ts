/** An image as listed by `buildah images --json`; `created` in seconds. */
export type ListedImage = { names?: readonly string[] | null; created: number }

/** Tests tag images with a digest of their contents; images with other tags are ignored. */
const ofTests = /^(localhost\/trellis[a-z-]*):[0-9a-f]{12}$/

/** The names of images built by tests, except the newest of each repository. Every change of the sources leaves an image behind. */
export const outdatedImages = (images: readonly ListedImage[], retained: number): string[] => {
  const byRepository = new Map<string, string[]>()
  for (const { names } of images.toSorted((one, other) => other.created - one.created))
    for (const name of names ?? []) {
      const repository = ofTests.exec(name)?.[1]
      if (repository) byRepository.set(repository, [...(byRepository.get(repository) ?? []), name])
    }
  return [...byRepository.values()].flatMap((newestFirst) => newestFirst.slice(retained))
}
