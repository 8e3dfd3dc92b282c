from equilibrist.learning.catalogue import load_method as load_method
from equilibrist.learning.learner import Learner as Learner
from equilibrist.learning.learner import LearningMethod as LearningMethod
from equilibrist.learning.trainings.folder import LearningProgress as LearningProgress
from equilibrist.learning.trainings.folder import learning_facts as learning_facts
from equilibrist.learning.trainings.folder import resume_learning as resume_learning
from equilibrist.learning.trainings.folder import start_learning as start_learning
from equilibrist.learning.trainings.order import LearningOrder as LearningOrder
