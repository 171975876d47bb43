import type { KubeObject } from '../runtime/mod.ts'

/** Somebody who looks into a fault may ask the operator to leave an object as it is. */
export const pausedAnnotation = 'trellis.dev/paused'

/** Whether the object is to be left alone, with what it owns, until the annotation goes. */
export const isPaused = ({ metadata }: KubeObject): boolean => metadata.annotations?.[pausedAnnotation] === 'true'
