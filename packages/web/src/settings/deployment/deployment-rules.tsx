import { Heading } from '../parts/heading.tsx';
import { RulesForm } from '../parts/rules-form.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function DeploymentRules() {
  const save = useSaveSettings();
  return (
    <>
      <Heading
        title="Approval rules"
        about="What agents may do without asking, for all users. A user's own rules take precedence, except over rules that deny."
      />
      <WithSettings>
        {({ approvals }) => (
          <RulesForm
            label="Approval rules"
            rules={approvals}
            empty="No rules. Agents may use all tools without asking."
            whose="deployment"
            save={(next) => save({ approvals: next })}
          />
        )}
      </WithSettings>
    </>
  );
}
