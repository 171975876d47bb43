/** An image as `buildah images --json` tells of it; `created` in seconds. */
export type ListedImage = { names?: readonly string[] | null; created: number }

/** Tags that the tests give are of what is in the image; those that people give are left alone. */
const ofTests = /^(localhost\/trellis[a-z-]*):[0-9a-f]{12}$/

/** The names of images that tests have built, but for the newest of each repository: every change of the sources leaves one. */
export const outdatedImages = (images: readonly ListedImage[], kept: number): string[] => {
  const byRepository = new Map<string, string[]>()
  for (const { names } of images.toSorted((one, other) => other.created - one.created))
    for (const name of names ?? []) {
      const repository = ofTests.exec(name)?.[1]
      if (repository) byRepository.set(repository, [...(byRepository.get(repository) ?? []), name])
    }
  return [...byRepository.values()].flatMap((newestFirst) => newestFirst.slice(kept))
}
