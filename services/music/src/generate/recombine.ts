import { analyseSound } from '../analysis/analyse.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import type { Block } from '../audio/pcm.ts'
import { AudioRefused } from '../audio/refusal.ts'
import { tryFirstJoins } from './first-join.ts'
import { analyseContext, type ContinuationRequest, type Generator } from './generator.ts'
import { planContinuation } from './plan.ts'
import { renderPlan } from './render.ts'
import { silence } from './silence.ts'
import { silentSteps, startCosts } from './start-costs.ts'
import { readPrompt } from './steering.ts'
import { cutIntoSteps } from './steps.ts'

/** How much earlier than its length an outro may end, with a phrase (s), at most as a share of its length. */
const outroEarly = { seconds: 5, share: 0.4 }
/** The longest fade of an outro without beats (s), and its largest share of the continuation. */
const outroSeconds = 6
const outroShare = 0.6

/** Fades a block out to its very end, along a raised cosine. */
const fadeOut = (block: Block, sampleRate: number): void => {
  for (const channel of block) {
    const length = Math.min(Math.round(outroSeconds * sampleRate), Math.round(channel.length * outroShare))
    const from = channel.length - length
    for (let i = 0; i < length; i++) {
      channel[from + i] = (channel[from + i] ?? 0) * (0.5 + 0.5 * Math.cos((Math.PI * (i + 1)) / length))
    }
  }
}

/**
 * Prepares what all continuations of a context share: its sound, its steps, and the cost of beginning at each of them. It does
 * not depend on the length of the continuation, or on its seed.
 */
export const prepareMaterial = async ({ context, listen, onProgress, signal }: Omit<ContinuationRequest, 'seed'>) => {
  const { mono, sound, findPulse } = await (listen?.() ?? analyseContext(context, signal))
  if (sound.loudest < silence)
    throw new AudioRefused('silent', 'The audio is silent: there is nothing to continue from.')
  onProgress?.(0.3)
  const { attacks } = sound
  const analysis = analyseSound(sound, findPulse)
  onProgress?.(0.4)
  const grid = cutIntoSteps(analysis)
  const alike = startCosts(analysis.spectral, grid)
  // After a source that has faded out, the join is inaudible.
  const isSilent = silentSteps(analysis.spectral, grid) > 0
  const trials = isSilent ? undefined : await tryFirstJoins({ mono, attacks, spectral: analysis.spectral, grid }, alike)
  const startCost = alike.map((cost, step) => (cost + 2 * (trials?.[step] ?? cost)) / 3)
  return { mono, attacks, grid, startCost }
}

export type Material = Awaited<ReturnType<typeof prepareMaterial>>

/** Plans a continuation: runs of steps of the material. */
export const planTake = ({ grid, startCost }: Material, request: ContinuationRequest) => {
  const { context, frames, prompt, seed, signal } = request
  const { steering, honored } = readPrompt(prompt)
  const seconds = frames / context.sampleRate
  const plan = planContinuation({
    grid,
    audible: seconds * analysisRate,
    early: steering.outro ? Math.min(outroEarly.seconds, outroEarly.share * seconds) * analysisRate : 0,
    startCost,
    seed,
    steering,
    ...(signal && { signal }),
  })
  return { plan, steering, honored }
}

/** Renders a plan, with joins that match time, level and waveform. */
export const playTake = async (
  { mono, attacks, grid }: Material,
  { plan, steering }: Pick<ReturnType<typeof planTake>, 'plan' | 'steering'>,
  { context, frames, onProgress, signal }: ContinuationRequest,
): Promise<Block> => {
  const block = await renderPlan({
    source: context,
    ...{ mono, attacks, grid, plan, frames },
    ends: steering.outro,
    onProgress: (share) => onProgress?.(0.6 + 0.4 * share),
    ...(signal && { signal }),
  })
  if (steering.outro && !plan.isWhole) fadeOut(block, context.sampleRate)
  return block
}

/**
 * Continues a piece from its own material: cuts it into beats, plans a path through them that begins where the piece ends and
 * neither loops nor copies, and renders that path.
 */
export const recombine: Generator = async (request) => {
  const material = await prepareMaterial(request)
  const take = planTake(material, request)
  request.onProgress?.(0.6)
  return { block: await playTake(material, take, request), honored: take.honored }
}
