import { action } from '../api/action.svelte.ts'
import { upload } from '../api/upload.svelte.ts'
import { loadWhenIdle } from '../ui/load-part.ts'
import { navigateLater } from '../url/here.svelte.ts'
import { createExample, createPiece, loadExampleTune } from './create-piece.ts'

/** The ways to a new piece, by upload or as the example tune; each leads to the page of the piece. */
export const newPiece = () => {
  loadWhenIdle(loadExampleTune)
  const openPage = async (path: Promise<string>) => {
    const goTo = navigateLater()
    goTo(await path)
  }
  const uploading = upload(async ([file], options) => {
    if (file) await openPage(createPiece(file, file.name, options))
  })
  const example = action(() => openPage(createExample()))
  return {
    uploading,
    createExample: () => void example.run(),
    get isRunning() {
      return uploading.isRunning || example.isRunning
    },
    get failure() {
      return uploading.failure ?? example.failure
    },
  }
}
