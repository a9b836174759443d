import { describe, expect, it } from 'vitest';
import { schemaOfGroup } from '../../../src/config/json-schema.ts';
import { OPTIONS } from '../../../src/config/schema.ts';

describe('schemaOfGroup', () => {
  const schema = schemaOfGroup(OPTIONS);

  it('allows nothing unknown, on any level', () => {
    let objects = 0;
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { properties, additionalProperties } = node as { properties?: unknown; additionalProperties?: unknown };
      if (properties !== undefined) {
        objects++;
        expect(additionalProperties).toBe(false);
      }
      Object.values(node).forEach(walk);
    };
    walk(schema);
    expect(objects).toBeGreaterThan(10);
  });

  it('carries bounds, default and description of an option', () => {
    expect(schema.properties?.['page']).toMatchObject({
      properties: {
        blobReadBudget: {
          type: 'integer',
          minimum: 10,
          maximum: 10_000,
          default: 500,
          description: expect.stringContaining('wait') as unknown,
        },
      },
    });
  });
});
