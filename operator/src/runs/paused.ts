import type { KubeObject } from '../runtime/mod.ts'

/** Annotation with which a user suspends reconciliation of an object, for example to debug it. */
export const pausedAnnotation = 'trellis.dev/paused'

/** Whether the object and what it owns must be left unchanged until the annotation is removed. */
export const isPaused = ({ metadata }: KubeObject): boolean => metadata.annotations?.[pausedAnnotation] === 'true'
