import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { question, useChanged } from '../../api/queries.ts';
import { Answer } from '../parts/answer.tsx';
import { Heading } from '../parts/heading.tsx';
import { RulesForm } from '../parts/rules-form.tsx';

export function OwnApprovals() {
  const rules = useQuery(question('getApprovals'));
  const changed = useChanged();
  return (
    <>
      <Heading
        title="My approvals"
        about="What the agents of your chats may do without asking you. Where you “always allow” something in a chat, the rule is added here. What admins deny stays denied."
      />
      <Answer to={rules}>
        {({ approvals }) => (
          <RulesForm
            label="My approvals"
            rules={approvals}
            empty="You have no rules of your own: what admins decided counts, and otherwise everything is allowed."
            whose="own"
            save={async (next) => {
              await client.call('updateApprovals', { body: { approvals: next } });
              await changed();
            }}
          />
        )}
      </Answer>
    </>
  );
}
